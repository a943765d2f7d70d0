#include "pki/certificate_request.h"

#include <memory>
#include <openssl/pem.h>

#include "pki/names.h"
#include "pki/openssl.h"

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

}  // namespace

Result<RequestFacts> inspect_request(std::string_view pem) {
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

}  // namespace ichor::pki
