#include "secrets/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "secrets/base64.h"
#include "secrets/digest.h"
#include "secrets/issue.h"
#include "secrets/key.h"
#include "secrets/random.h"

namespace ichor::pki {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr WallTime kNow{1'794'778'085'000};  // 15 November 2026
constexpr std::int64_t kHourMs = 3'600'000;

TEST(Digest, IsSha256) {
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(hmac_sha256(SecretString("Jefe"), "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Base64, GoesThereAndBack) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
  EXPECT_EQ(base64_url("\xff\xfe\xfb"), "__77");
  EXPECT_EQ(from_base64("Zg=="), "f");
  EXPECT_EQ(from_base64(""), "");
  for (const char* bad : {"Zg=", "Zg", "Z g=", "Zg==Zg==", "====", "Zg=a", "__77", "Zm9v\n"}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
}

TEST(Random, TokensHaveTheFormOfKubeadm) {
  const SecretString token = random_token();
  EXPECT_THAT(std::string(token.reveal()), testing::MatchesRegex("[0-9a-z]+\\.[0-9a-z]+"));
  EXPECT_EQ(token.size(), 23u);
  EXPECT_EQ(token.reveal()[6], '.');
  EXPECT_FALSE(token == random_token());
}

TEST(PrivateKey, WritesTheLabelsOfTalosAndReadsThem) {
  for (const auto& [kind, label] :
       {std::pair{KeyKind::ed25519, "-----BEGIN ED25519 PRIVATE KEY-----\n"},
        std::pair{KeyKind::ecdsa_p256, "-----BEGIN EC PRIVATE KEY-----\n"}}) {
    const PrivateKey key = PrivateKey::generate(kind);
    const SecretString pem = key.to_pem();
    EXPECT_THAT(std::string(pem.reveal()), StartsWith(label));
    const auto back = PrivateKey::from_pem(pem);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->kind(), kind);
    EXPECT_TRUE(back->to_pem() == pem);
  }
}

TEST(PrivateKey, RelabelsForOpenSsl) {
  const SecretString pem = PrivateKey::generate(KeyKind::ed25519).to_pem();
  const SecretString plain = openssl_label(pem);
  EXPECT_THAT(std::string(plain.reveal()), StartsWith("-----BEGIN PRIVATE KEY-----\n"));
  EXPECT_THAT(std::string(plain.reveal()), HasSubstr("-----END PRIVATE KEY-----\n"));
  EXPECT_TRUE(talos_label(plain) == pem);
  EXPECT_TRUE(PrivateKey::from_pem(plain).has_value());
}

TEST(PrivateKey, IsFoundBehindItsParameters) {
  // As `openssl ecparam -genkey` writes it.
  const std::string parameters =
      "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  const PrivateKey key = PrivateKey::generate(KeyKind::ecdsa_p256);
  const std::string both = parameters + std::string(key.to_pem().reveal());
  const auto read = PrivateKey::from_pem(SecretString(both));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->to_pem(), key.to_pem());
}

TEST(PrivateKey, RefusesOtherTextsWithoutRepeatingThem) {
  const auto none = PrivateKey::from_pem(SecretString("canary-7f3a"));
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message, "not a private key in PEM form");
}

TEST(PrivateKey, OfRsaIsGivenUpOnDemand) {
  const std::atomic<bool> give_up{true};
  EXPECT_FALSE(PrivateKey::generate_rsa(give_up).has_value());
}

TEST(CertificateAuthority, IsAsTalosMakesIt) {
  const CertificateAndKey ca = make_ca("talos", KeyKind::ed25519, kNow);
  const auto facts = inspect(ca.certificate);
  ASSERT_TRUE(facts.has_value());
  EXPECT_THAT(facts->organizations, ElementsAre("talos"));
  EXPECT_EQ(facts->issuer, "O=talos");
  EXPECT_TRUE(facts->is_ca);
  EXPECT_TRUE(facts->server_auth);
  EXPECT_TRUE(facts->client_auth);
  EXPECT_EQ(facts->not_before.unix_ms, kNow.unix_ms);
  EXPECT_EQ(facts->not_after.unix_ms, kNow.unix_ms + 87600 * kHourMs);
  EXPECT_TRUE(signed_by(ca.certificate, ca.certificate));
  EXPECT_TRUE(matches(ca.certificate, *PrivateKey::from_pem(ca.key)));
}

TEST(CertificateAuthority, OfTheAggregatorHasNoName) {
  const auto facts = inspect(make_ca("", KeyKind::ecdsa_p256, kNow).certificate);
  ASSERT_TRUE(facts.has_value());
  EXPECT_TRUE(facts->organizations.empty());
  EXPECT_EQ(facts->issuer, "");
}

TEST(Issue, ATalosClientCarriesItsRoles) {
  const CertificateAndKey ca = make_ca("talos", KeyKind::ed25519, kNow);
  const auto client = issue_talos_client(ca, {"os:admin", "os:reader"}, kNow);
  ASSERT_TRUE(client.has_value());
  const auto facts = inspect(client->certificate);
  EXPECT_THAT(facts->organizations, ElementsAre("os:admin", "os:reader"));
  EXPECT_THAT(facts->issuer_organizations, ElementsAre("talos"));
  EXPECT_TRUE(facts->client_auth);
  EXPECT_FALSE(facts->server_auth);
  EXPECT_FALSE(facts->is_ca);
  EXPECT_EQ(facts->not_after.unix_ms, kNow.unix_ms + 8760 * kHourMs);
  EXPECT_TRUE(signed_by(client->certificate, ca.certificate));
  EXPECT_FALSE(
      signed_by(client->certificate, make_ca("talos", KeyKind::ed25519, kNow).certificate));
}

TEST(Issue, AServerCarriesItsNames) {
  const CertificateAndKey ca = make_ca("kubernetes", KeyKind::ecdsa_p256, kNow);
  LeafRequest request;
  request.common_name = "kube-apiserver";
  request.server_auth = true;
  request.dns_names = {"kubernetes", "localhost"};
  request.ip_addresses = {"10.43.0.1", "fd00::1"};
  request.not_before = kNow;
  const auto server = issue(ca, request, KeyKind::ecdsa_p256);
  ASSERT_TRUE(server.has_value());
  const auto facts = inspect(server->certificate);
  EXPECT_EQ(facts->common_name, "kube-apiserver");
  EXPECT_THAT(facts->dns_names, ElementsAre("kubernetes", "localhost"));
  EXPECT_THAT(facts->ip_addresses, ElementsAre("10.43.0.1", "fd00::1"));
}

TEST(Issue, RefusesWhatIsNeitherNameNorAddress) {
  const CertificateAndKey ca = make_ca("talos", KeyKind::ed25519, kNow);
  LeafRequest request;
  request.not_before = kNow;
  request.dns_names = {"a,IP:10.0.0.1"};
  EXPECT_EQ(issue(ca, request, KeyKind::ed25519).error().message,
            "\"a,IP:10.0.0.1\" is not a DNS name");
  request.dns_names = {};
  request.ip_addresses = {"10.0.0.256"};
  EXPECT_FALSE(issue(ca, request, KeyKind::ed25519).has_value());
}

TEST(Issue, RefusesAnAuthorityWhoseKeyIsAnothers) {
  CertificateAndKey ca = make_ca("talos", KeyKind::ed25519, kNow);
  ca.key = make_ca("talos", KeyKind::ed25519, kNow).key;
  const auto client = issue_talos_client(ca, {"os:admin"}, kNow);
  ASSERT_FALSE(client.has_value());
  EXPECT_EQ(client.error().message, "the authority's key does not belong to its certificate");
}

TEST(Issue, AMaintenanceCertificateSignsItself) {
  LeafRequest request;
  request.server_auth = true;
  request.not_before = kNow;
  request.lifetime = std::chrono::hours(24);
  request.ip_addresses = {"127.0.0.2"};
  const auto own = issue_self_signed(request, KeyKind::ed25519);
  ASSERT_TRUE(own.has_value());
  EXPECT_TRUE(signed_by(own->certificate, own->certificate));
  EXPECT_EQ(fingerprint_of(own->certificate)->value().size(), 44u);
}

TEST(Certificate, KnowsWhenItEnds) {
  CertificateFacts facts;
  facts.not_before = {1000};
  facts.not_after = {2000};
  EXPECT_FALSE(expires_within(facts, {1500}, Duration::zero()));
  EXPECT_TRUE(expires_within(facts, {999}, Duration::zero()));
  EXPECT_TRUE(expires_within(facts, {2001}, Duration::zero()));
  EXPECT_TRUE(expires_within(facts, {1500}, std::chrono::milliseconds(501)));
  EXPECT_FALSE(inspect("no certificate").has_value());
}

}  // namespace
}  // namespace ichor::pki
