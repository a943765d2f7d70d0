#include "secrets/certificate.h"

#include <ctime>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/check.h"
#include "secrets/base64.h"
#include "secrets/digest.h"
#include "secrets/names.h"
#include "secrets/openssl.h"

namespace ichor::pki {

namespace {

std::string one_line(const X509_NAME* name) {
  const Bio bio = write_bio();
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253);
  return contents(bio);
}

WallTime wall_time(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return {static_cast<std::int64_t>(timegm(&parts)) * 1000};
}

void read_names(X509* certificate, CertificateFacts& facts) {
  AlternativeNames names = take_names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  facts.dns_names = std::move(names.dns_names);
  facts.ip_addresses = std::move(names.ip_addresses);
}

Fingerprint fingerprint_of_key(X509* certificate) {
  unsigned char* der = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  check(size > 0, "a public key without encoding");
  const Digest digest = sha256({reinterpret_cast<char*>(der), static_cast<std::size_t>(size)});
  OPENSSL_free(der);
  return Fingerprint(
      base64({reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()}));
}

tl::unexpected<Error> no_certificate() {
  return fail(Errc::invalid, "not a certificate in PEM form");
}

}  // namespace

Result<Certificate> Certificate::from_pem(std::string_view pem) {
  X509Handle certificate = read_certificate(pem);
  if (certificate == nullptr) return no_certificate();
  return Certificate({certificate.release(), X509_free});
}

CertificateFacts Certificate::facts() const {
  X509* certificate = handle_.get();
  CertificateFacts facts;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const X509_NAME* issuer = X509_get_issuer_name(certificate);
  facts.organizations = entries_of(subject, NID_organizationName);
  const auto common_names = entries_of(subject, NID_commonName);
  if (!common_names.empty()) facts.common_name = common_names.front();
  facts.issuer_organizations = entries_of(issuer, NID_organizationName);
  facts.issuer = one_line(issuer);
  facts.not_before = wall_time(X509_get0_notBefore(certificate));
  facts.not_after = wall_time(X509_get0_notAfter(certificate));
  facts.is_ca = X509_check_ca(certificate) == 1;
  const std::uint32_t purposes = X509_get_extended_key_usage(certificate);
  const bool limited = (X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) != 0;
  facts.server_auth = limited && (purposes & XKU_SSL_SERVER) != 0;
  facts.client_auth = limited && (purposes & XKU_SSL_CLIENT) != 0;
  read_names(certificate, facts);
  facts.fingerprint = fingerprint_of_key(certificate);
  ERR_clear_error();
  return facts;
}

bool Certificate::matches(const PrivateKey& key) const {
  const bool same = X509_check_private_key(handle_.get(), key.handle()) == 1;
  ERR_clear_error();
  return same;
}

Result<CertificateFacts> inspect(std::string_view pem) {
  const auto certificate = Certificate::from_pem(pem);
  if (!certificate) return forward_error(certificate);
  return certificate->facts();
}

Result<Fingerprint> fingerprint_of(std::string_view pem) {
  const X509Handle certificate = read_certificate(pem);
  if (certificate == nullptr) return no_certificate();
  return fingerprint_of_key(certificate.get());
}

bool expires_within(const CertificateFacts& facts, WallTime now, Duration margin) {
  const auto margin_ms = std::chrono::duration_cast<std::chrono::milliseconds>(margin).count();
  return now.unix_ms < facts.not_before.unix_ms ||
         now.unix_ms + margin_ms > facts.not_after.unix_ms;
}

bool matches(std::string_view certificate_pem, const PrivateKey& key) {
  const auto certificate = Certificate::from_pem(certificate_pem);
  return certificate && certificate->matches(key);
}

bool signed_by(std::string_view pem, std::string_view ca_pem) {
  const X509Handle certificate = read_certificate(pem);
  const X509Handle ca = read_certificate(ca_pem);
  if (certificate == nullptr || ca == nullptr) return false;
  const X509_NAME* issuer = X509_get_issuer_name(certificate.get());
  const bool named = X509_NAME_cmp(issuer, X509_get_subject_name(ca.get())) == 0;
  const bool verified = X509_verify(certificate.get(), X509_get0_pubkey(ca.get())) == 1;
  ERR_clear_error();
  return named && verified;
}

}  // namespace ichor::pki
