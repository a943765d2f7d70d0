#include "talos/certificate.h"

#include <array>
#include <ctime>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "base/check.h"

namespace ichor {

namespace {

constexpr std::string_view kTalosLabel = "ED25519 PRIVATE KEY";
constexpr std::string_view kStandardLabel = "PRIVATE KEY";

using StorePtr = std::unique_ptr<X509_STORE, pki::Releaser<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, pki::Releaser<X509_STORE_CTX_free>>;

}  // namespace

std::string standard_key_label(std::string_view pem) {
  std::string text(pem);
  for (auto at = text.find(kTalosLabel); at != std::string::npos; at = text.find(kTalosLabel)) {
    text.replace(at, kTalosLabel.size(), kStandardLabel);
  }
  return text;
}

pki::Pkey key_from_pem(std::string_view pem) {
  std::string text = standard_key_label(pem);
  const pki::Bio bio = pki::read_bio(text);
  pki::Pkey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, pki::no_password, nullptr));
  ERR_clear_error();
  OPENSSL_cleanse(text.data(), text.size());
  return key;
}

WallTime expiry_of(const X509& leaf) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(&leaf), &parts) != 1) return {};
  return {static_cast<std::int64_t>(timegm(&parts)) * 1000};
}

Fingerprint fingerprint_of(const X509& leaf) {
  unsigned char* der = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(&leaf), &der);
  check(size > 0, "a parsed certificate has a public key");
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(der, static_cast<std::size_t>(size), digest.data());
  OPENSSL_free(der);
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> text{};
  const int length = EVP_EncodeBlock(text.data(), digest.data(), digest.size());
  return Fingerprint(
      std::string(reinterpret_cast<const char*>(text.data()), static_cast<std::size_t>(length)));
}

ChainFault judge_chain(X509& leaf, X509& ca, const IpAddress& address) {
  const StorePtr store(X509_STORE_new());
  const StoreContext context(X509_STORE_CTX_new());
  check(store != nullptr, "OpenSSL has memory");
  check(context != nullptr, "OpenSSL has memory");
  X509_STORE_add_cert(store.get(), &ca);
  X509_STORE_CTX_init(context.get(), store.get(), &leaf, nullptr);
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_SERVER);
  // The cluster's CA is the anchor whether or not it signed itself.
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context.get()), X509_V_FLAG_PARTIAL_CHAIN);
  const bool good = X509_verify_cert(context.get()) == 1;
  const int why = X509_STORE_CTX_get_error(context.get());
  ERR_clear_error();
  if (!good) {
    const bool by_time = why == X509_V_ERR_CERT_HAS_EXPIRED || why == X509_V_ERR_CERT_NOT_YET_VALID;
    return by_time ? ChainFault::expired : ChainFault::foreign_ca;
  }
  const bool named = X509_check_ip_asc(&leaf, address.value().c_str(), 0) == 1;
  return named ? ChainFault::none : ChainFault::wrong_name;
}

std::int64_t seconds_outside(const X509& leaf) {
  const auto until = [](const ASN1_TIME* when) -> std::int64_t {
    constexpr std::int64_t kDay = 86'400;
    int days = 0;
    int seconds = 0;
    const bool told = ASN1_TIME_diff(&days, &seconds, nullptr, when) == 1;
    return told ? days * kDay + seconds : 0;
  };
  const std::int64_t left = until(X509_get0_notAfter(&leaf));
  const std::int64_t early = until(X509_get0_notBefore(&leaf));
  if (early > 0) return -early;
  return left < 0 ? -left : 0;
}

std::string name_text(const X509_NAME* name) {
  const pki::Bio bio(BIO_new(BIO_s_mem()));
  check(bio != nullptr, "OpenSSL has memory");
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253);
  const char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "(no name)";
}

std::string part_of_name(const X509_NAME* name, int nid) {
  const int at = X509_NAME_get_index_by_NID(name, nid, -1);
  if (at < 0) return {};
  const ASN1_STRING* data = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at));
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, data);
  if (size < 0) return {};
  std::string part(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return part;
}

}  // namespace ichor
