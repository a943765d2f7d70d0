#include "secrets/certificate_request.h"

#include <map>
#include <memory>
#include <openssl/pem.h>

#include "secrets/names.h"
#include "secrets/openssl.h"

namespace ichor::pki {

namespace {

using RequestHandle = std::unique_ptr<X509_REQ, Releaser<X509_REQ_free>>;

GENERAL_NAMES* names_in(X509_REQ* request) {
  STACK_OF(X509_EXTENSION)* extensions = X509_REQ_get_extensions(request);
  if (extensions == nullptr) return nullptr;
  auto* names = static_cast<GENERAL_NAMES*>(
      X509V3_get_d2i(extensions, NID_subject_alt_name, nullptr, nullptr));
  sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
  return names;
}

Result<RequestFacts> read_request(std::string_view pem) {
  const Bio bio = read_bio(pem);
  const RequestHandle request(PEM_read_bio_X509_REQ(bio.get(), nullptr, no_password, nullptr));
  if (request == nullptr) return fail(Errc::invalid, "not a certificate request in PEM form");
  EVP_PKEY* key = X509_REQ_get0_pubkey(request.get());
  if (key == nullptr || X509_REQ_verify(request.get(), key) != 1) {
    return fail(Errc::invalid, "the request is not signed by the key that it is for");
  }
  RequestFacts facts;
  const X509_NAME* subject = X509_REQ_get_subject_name(request.get());
  facts.organizations = entries_of(subject, NID_organizationName);
  const std::vector<std::string> names = entries_of(subject, NID_commonName);
  // Two names in one subject would let readers differ in whom they see.
  if (names.size() == 1) facts.common_name = names.front();
  AlternativeNames others = take_names(names_in(request.get()));
  facts.dns_names = std::move(others.dns_names);
  facts.ip_addresses = std::move(others.ip_addresses);
  facts.other_names = others.others;
  return facts;
}

/// How many requests are remembered: those of a large cluster.
constexpr std::size_t kKnownMax = 256;

}  // namespace

Result<RequestFacts> inspect_request(std::string_view pem) {
  // The same requests are looked at again whenever one of them changes, and in every seed of a
  // simulation; reading one takes longer than all the rest of such a look.
  thread_local std::map<std::string, Result<RequestFacts>, std::less<>> known;
  const auto found = known.find(pem);
  if (found != known.end()) return found->second;
  if (known.size() >= kKnownMax) known.clear();
  return known.emplace(pem, read_request(pem)).first->second;
}

}  // namespace ichor::pki
