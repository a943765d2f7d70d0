#include "secrets/issue.h"

#include <algorithm>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/check.h"
#include "secrets/openssl.h"
#include "secrets/random.h"

namespace ichor::pki {

namespace {

/// Go writes PrintableString where it can and so do we: names are compared byte by byte there.
bool is_printable_string(std::string_view text) {
  constexpr std::string_view others = " '()+,-./:=?*&";
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           others.find(c) != std::string_view::npos;
  });
}

void add_name(X509_NAME* name, int nid, const std::string& text, bool same_rdn) {
  const int type = is_printable_string(text) ? V_ASN1_PRINTABLESTRING : V_ASN1_UTF8STRING;
  const int done = X509_NAME_add_entry_by_NID(name, nid, type,
                                              reinterpret_cast<const unsigned char*>(text.data()),
                                              static_cast<int>(text.size()), -1, same_rdn ? -1 : 0);
  check(done == 1, "a name could not be set");
}

void set_subject(X509* certificate, const std::vector<std::string>& organizations,
                 const std::string& common_name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  for (std::size_t i = 0; i < organizations.size(); ++i) {
    add_name(subject, NID_organizationName, organizations[i], i > 0);
  }
  if (!common_name.empty()) add_name(subject, NID_commonName, common_name, false);
}

void set_serial(X509* certificate) {
  const SecretString bytes = random_bytes(16);
  BIGNUM* number = BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.reveal().data()),
                             static_cast<int>(bytes.size()), nullptr);
  check(number != nullptr, "no memory for a serial number");
  const ASN1_INTEGER* set = BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
  check(set != nullptr, "a serial number could not be set");
}

void set_validity(X509* certificate, WallTime from, Duration lifetime) {
  const auto start = static_cast<time_t>(from.unix_ms / 1000);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(lifetime).count();
  check(ASN1_TIME_set(X509_getm_notBefore(certificate), start) != nullptr,
        "a date is out of range");
  check(ASN1_TIME_set(X509_getm_notAfter(certificate), start + seconds) != nullptr,
        "a date is out of range");
}

/// Adds an extension in the notation of openssl.cnf.
bool add_extension(X509* certificate, int nid, const std::string& text) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, text.c_str());
  if (extension == nullptr) {
    ERR_clear_error();
    return false;
  }
  const int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added == 1;
}

void add_random_subject_key_id(X509* certificate) {
  const SecretString bytes = random_bytes(20);
  ASN1_OCTET_STRING* id = ASN1_OCTET_STRING_new();
  check(id != nullptr, "no memory for a key id");
  ASN1_OCTET_STRING_set(id, reinterpret_cast<const unsigned char*>(bytes.reveal().data()),
                        static_cast<int>(bytes.size()));
  const int added = X509_add1_ext_i2d(certificate, NID_subject_key_identifier, id, 0, 0);
  ASN1_OCTET_STRING_free(id);
  check(added == 1, "a key id could not be set");
}

void add_authority_key_id(X509* certificate, X509* ca) {
  const ASN1_OCTET_STRING* id = X509_get0_subject_key_id(ca);
  if (id == nullptr) return;
  AUTHORITY_KEYID* authority = AUTHORITY_KEYID_new();
  check(authority != nullptr, "no memory for a key id");
  authority->keyid = ASN1_OCTET_STRING_dup(id);
  const int added = X509_add1_ext_i2d(certificate, NID_authority_key_identifier, authority, 0, 0);
  AUTHORITY_KEYID_free(authority);
  check(added == 1, "an authority key id could not be set");
}

X509Handle blank(const PrivateKey& key, WallTime from, Duration lifetime) {
  X509Handle certificate(X509_new());
  check(certificate != nullptr, "no memory for a certificate");
  check(X509_set_version(certificate.get(), X509_VERSION_3) == 1, "no version 3");
  set_serial(certificate.get());
  set_validity(certificate.get(), from, lifetime);
  check(X509_set_pubkey(certificate.get(), key.handle()) == 1, "a key could not be certified");
  return certificate;
}

std::string sign(X509* certificate, const PrivateKey& key) {
  const EVP_MD* digest = key.kind() == KeyKind::ed25519 ? nullptr : EVP_sha256();
  check(X509_sign(certificate, key.handle(), digest) > 0, "a certificate could not be signed");
  const Bio bio = write_bio();
  check(PEM_write_bio_X509(bio.get(), certificate) == 1, "a certificate could not be written");
  return contents(bio);
}

std::string purposes(const LeafRequest& request) {
  std::string text;
  if (request.server_auth) text += "serverAuth";
  if (request.client_auth) text += text.empty() ? "clientAuth" : ",clientAuth";
  return text;
}

/// Names go through OpenSSL's own notation, in which a comma separates.
Result<void> add_alternative_names(X509* certificate, const LeafRequest& request) {
  std::string text;
  const auto append = [&](std::string_view kind, const std::string& name) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}:{}", kind, name);
  };
  for (const std::string& name : request.dns_names) {
    const bool clean = !name.empty() && name.find_first_of(",;:\\\n ") == std::string::npos;
    if (!clean) return fail(Errc::invalid, fmt::format("\"{}\" is not a DNS name", name));
    append("DNS", name);
  }
  for (const std::string& address : request.ip_addresses) {
    const bool clean = !address.empty() &&
                       address.find_first_not_of("0123456789abcdefABCDEF.:") == std::string::npos;
    if (!clean) return fail(Errc::invalid, fmt::format("\"{}\" is not an IP address", address));
    append("IP", address);
  }
  if (text.empty()) return {};
  if (!add_extension(certificate, NID_subject_alt_name, text)) {
    return fail(Errc::invalid, fmt::format("\"{}\" is not a list of names and addresses", text));
  }
  return {};
}

Result<X509Handle> leaf(const LeafRequest& request, const PrivateKey& key, X509* ca) {
  X509Handle certificate = blank(key, request.not_before, request.lifetime);
  set_subject(certificate.get(), request.organizations, request.common_name);
  const X509_NAME* issuer =
      ca != nullptr ? X509_get_subject_name(ca) : X509_get_subject_name(certificate.get());
  check(X509_set_issuer_name(certificate.get(), issuer) == 1, "an issuer could not be set");
  check(add_extension(certificate.get(), NID_key_usage, "critical,digitalSignature"),
        "key usage could not be set");
  const std::string purpose = purposes(request);
  if (!purpose.empty()) {
    check(add_extension(certificate.get(), NID_ext_key_usage, purpose), "purpose could not be set");
  }
  if (ca != nullptr) add_authority_key_id(certificate.get(), ca);
  if (auto names = add_alternative_names(certificate.get(), request); !names) {
    return forward_error(names);
  }
  return certificate;
}

}  // namespace

CertificateAndKey make_ca(const std::string& organization, KeyKind kind, WallTime now,
                          Duration lifetime) {
  const PrivateKey key = PrivateKey::generate(kind);
  const X509Handle ca = blank(key, now, lifetime);
  if (!organization.empty()) set_subject(ca.get(), {organization}, "");
  const X509_NAME* subject = X509_get_subject_name(ca.get());
  check(X509_set_issuer_name(ca.get(), subject) == 1, "an issuer could not be set");
  check(add_extension(ca.get(), NID_key_usage, "critical,digitalSignature,keyCertSign"),
        "key usage could not be set");
  check(add_extension(ca.get(), NID_ext_key_usage, "serverAuth,clientAuth"),
        "purpose could not be set");
  check(add_extension(ca.get(), NID_basic_constraints, "critical,CA:TRUE"),
        "basic constraints could not be set");
  add_random_subject_key_id(ca.get());
  return {sign(ca.get(), key), key.to_pem()};
}

Result<std::string> issue_for(const CertificateAndKey& ca, const LeafRequest& request,
                              const PrivateKey& key) {
  const X509Handle authority = read_certificate(ca.certificate);
  if (authority == nullptr) return fail(Errc::invalid, "the authority's certificate is not PEM");
  const auto ca_key = PrivateKey::from_pem(ca.key);
  if (!ca_key) return fail(Errc::invalid, "the authority's key: " + ca_key.error().message);
  if (X509_check_private_key(authority.get(), ca_key->handle()) != 1) {
    ERR_clear_error();
    return fail(Errc::invalid, "the authority's key does not belong to its certificate", "T8");
  }
  auto certificate = leaf(request, key, authority.get());
  if (!certificate) return forward_error(certificate);
  return sign(certificate->get(), *ca_key);
}

Result<CertificateAndKey> issue(const CertificateAndKey& ca, const LeafRequest& request,
                                KeyKind kind) {
  const PrivateKey key = PrivateKey::generate(kind);
  auto certificate = issue_for(ca, request, key);
  if (!certificate) return forward_error(certificate);
  return CertificateAndKey{std::move(*certificate), key.to_pem()};
}

Result<CertificateAndKey> issue_self_signed(const LeafRequest& request, KeyKind kind) {
  return issue_self_signed(request, PrivateKey::generate(kind));
}

Result<CertificateAndKey> issue_self_signed(const LeafRequest& request, const PrivateKey& key) {
  auto certificate = leaf(request, key, nullptr);
  if (!certificate) return forward_error(certificate);
  return CertificateAndKey{sign(certificate->get(), key), key.to_pem()};
}

Result<CertificateAndKey> issue_talos_client(const CertificateAndKey& os_ca,
                                             const std::vector<std::string>& roles, WallTime now,
                                             Duration lifetime) {
  LeafRequest request;
  request.organizations = roles;
  request.client_auth = true;
  request.not_before = now;
  request.lifetime = lifetime;
  return issue(os_ca, request, KeyKind::ed25519);
}

}  // namespace ichor::pki
