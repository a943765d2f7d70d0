#include "talos/test_certificates.h"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/check.h"

namespace ichor {

namespace {

std::string text_of(BIO* bio) {
  const char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return {text, static_cast<std::size_t>(size)};
}

void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  check(extension != nullptr, "the extension is well formed");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

std::string TestCertificate::pem() const {
  const pki::Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate.get());
  return text_of(bio.get());
}

std::string TestCertificate::key_pem() const {
  const pki::Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio.get());
}

TestCertificate make_certificate(const CertificateOptions& options, const TestCertificate* issuer) {
  static long serial = 1;
  TestCertificate made;
  made.key.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  made.certificate.reset(X509_new());
  X509* certificate = made.certificate.get();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), options.valid_from_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate), options.valid_to_s);
  X509_set_pubkey(certificate, made.key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "O", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(options.organization.c_str()),
                             -1, -1, 0);
  const TestCertificate& signer = issuer ? *issuer : made;
  X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate.get()));
  X509* signer_certificate = signer.certificate.get();
  if (options.is_ca) {
    add_extension(certificate, signer_certificate, NID_basic_constraints, "critical,CA:TRUE");
    add_extension(certificate, signer_certificate, NID_key_usage, "digitalSignature,keyCertSign");
  } else {
    add_extension(certificate, signer_certificate, NID_ext_key_usage,
                  options.for_client ? "clientAuth" : "serverAuth");
  }
  std::string names;
  for (const std::string& ip : options.ip_names) names += (names.empty() ? "IP:" : ",IP:") + ip;
  if (!names.empty()) {
    add_extension(certificate, signer_certificate, NID_subject_alt_name, names);
  }
  check(X509_sign(certificate, signer.key.get(), nullptr) > 0, "Ed25519 signs");
  return made;
}

TestCertificate make_ca(const std::string& organization) {
  CertificateOptions options;
  options.organization = organization;
  options.is_ca = true;
  return make_certificate(options, nullptr);
}

TestCertificate make_server_certificate(const TestCertificate& ca, const std::string& ip) {
  CertificateOptions options;
  options.organization = "node";
  options.ip_names = {ip};
  return make_certificate(options, &ca);
}

TalosCredentials make_credentials(const TestCertificate& ca) {
  CertificateOptions options;
  options.organization = "os:admin";
  options.for_client = true;
  const TestCertificate client = make_certificate(options, &ca);
  return {ca.pem(), client.pem(), SecretString(client.key_pem())};
}

namespace {

TEST(Certificate, AServerOfTheClusterIsJudgedByCaTimeAndAddress) {
  const TestCertificate ca = make_ca("talos");
  const TestCertificate other_ca = make_ca("talos");
  const TestCertificate node = make_server_certificate(ca, "10.5.0.2");
  X509& leaf = *node.certificate;
  EXPECT_EQ(judge_chain(leaf, *ca.certificate, IpAddress("10.5.0.2")), ChainFault::none);
  EXPECT_EQ(judge_chain(leaf, *ca.certificate, IpAddress("10.5.0.3")), ChainFault::wrong_name);
  EXPECT_EQ(judge_chain(leaf, *other_ca.certificate, IpAddress("10.5.0.2")),
            ChainFault::foreign_ca);
}

TEST(Certificate, AnExpiredOrFutureCertificateDiffersFromAForeignOne) {
  const TestCertificate ca = make_ca("talos");
  CertificateOptions past;
  past.ip_names = {"10.5.0.2"};
  past.valid_to_s = -60;
  CertificateOptions future = past;
  future.valid_from_s = 60;
  future.valid_to_s = 3600;
  for (const CertificateOptions& options : {past, future}) {
    const TestCertificate node = make_certificate(options, &ca);
    EXPECT_EQ(judge_chain(*node.certificate, *ca.certificate, IpAddress("10.5.0.2")),
              ChainFault::expired);
  }
}

TEST(Certificate, AClientCertificateIsNoServerCertificate) {
  const TestCertificate ca = make_ca("talos");
  CertificateOptions options;
  options.for_client = true;
  options.ip_names = {"10.5.0.2"};
  const TestCertificate client = make_certificate(options, &ca);
  EXPECT_EQ(judge_chain(*client.certificate, *ca.certificate, IpAddress("10.5.0.2")),
            ChainFault::foreign_ca);
}

TEST(Certificate, TheFingerprintIsOfTheKeyAndNotOfTheCertificate) {
  const TestCertificate ca = make_ca("talos");
  const TestCertificate node = make_server_certificate(ca, "10.5.0.2");
  const pki::X509Handle copy = pki::read_certificate(node.pem());
  EXPECT_EQ(fingerprint_of(*copy), node.fingerprint());
  EXPECT_EQ(node.fingerprint().value().size(), 44u);
  EXPECT_EQ(node.fingerprint().value().back(), '=');
  EXPECT_NE(node.fingerprint(), ca.fingerprint());
}

TEST(Certificate, ReadsAKeyUnderTalosLabel) {
  const TestCertificate node = make_ca("talos");
  std::string pem = node.key_pem();
  for (auto at = pem.find("PRIVATE"); at != pem.npos; at = pem.find("PRIVATE", at + 20)) {
    pem.insert(at, "ED25519 ");
  }
  ASSERT_NE(pem.find("BEGIN ED25519 PRIVATE KEY"), pem.npos);
  const pki::Pkey key = key_from_pem(pem);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(EVP_PKEY_eq(key.get(), node.key.get()), 1);
}

TEST(Certificate, GarbageIsNoCertificateAndNoKey) {
  EXPECT_EQ(pki::read_certificate("-----BEGIN CERTIFICATE-----\nAAAA\n"), nullptr);
  EXPECT_EQ(key_from_pem(""), nullptr);
}

}  // namespace
}  // namespace ichor
