#include "secrets/secrets_bundle.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "secrets/talosconfig.h"

namespace ichor::pki {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr WallTime kNow{1'794'778'085'000};

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

std::string golden() { return read_file("tests/golden/gen-config/secrets.yaml"); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto bundle = read_secrets(text, "s.yaml");
  return bundle ? "" : bundle.error().message;
}

TEST(SecretsBundle, ReadsWhatTalosctlWroteAndWritesTheSameBytes) {
  const auto bundle = read_secrets(golden(), "secrets.yaml");
  ASSERT_TRUE(bundle.has_value()) << bundle.error().message;
  EXPECT_EQ(bundle->cluster_id, "qB_WorS2EVw0B0GwmPfEhGg8qXm5ifoxniF4RwPR41Y=");
  EXPECT_EQ(std::string(write_secrets(*bundle).reveal()), golden());
}

TEST(SecretsBundle, AFreshOneHasAllThatTalosNeeds) {
  const SecretsBundle fresh = generate_secrets(kNow);  // the one RSA key of the tests
  const auto back = read_secrets(write_secrets(fresh).reveal(), "fresh");
  ASSERT_TRUE(back.has_value()) << back.error().message;
  EXPECT_EQ(fingerprint_of(*back), fingerprint_of(fresh));
  EXPECT_EQ(PrivateKey::from_pem(fresh.k8s_service_account_key)->kind(), KeyKind::rsa);
  EXPECT_EQ(PrivateKey::from_pem(fresh.os.key)->kind(), KeyKind::ed25519);
  EXPECT_EQ(PrivateKey::from_pem(fresh.etcd.key)->kind(), KeyKind::ecdsa_p256);
  EXPECT_THAT(inspect(fresh.k8s.certificate)->organizations, ElementsAre("kubernetes"));
}

TEST(SecretsBundle, TheFingerprintChangesWithEveryPart) {
  SecretsOptions options;
  options.service_account_key = PrivateKey::generate(KeyKind::ecdsa_p256).to_pem();
  const SecretsBundle bundle = generate_secrets(kNow, options);
  SecretsBundle changed = bundle;
  changed.bootstrap_token = SecretString("aaaaaa.bbbbbbbbbbbbbbbb");
  EXPECT_NE(fingerprint_of(changed), fingerprint_of(bundle));
  changed = bundle;
  changed.cluster_secret = SecretString("another");
  EXPECT_NE(fingerprint_of(changed), fingerprint_of(bundle));
  changed = bundle;
  changed.os.key = changed.etcd.key;
  EXPECT_NE(fingerprint_of(changed), fingerprint_of(bundle));
}

TEST(SecretsBundle, NamesThePlaceOfADefectAndNoValue) {
  const std::string token = "k7rfu5.2bd0qi67alc4thk9";
  EXPECT_EQ(error_of(replaced(golden(), token, "secret-canary")),
            "s.yaml:5:21: \"bootstraptoken\" is not of the form abcdef.0123456789abcdef");
  EXPECT_EQ(error_of(replaced(golden(), "trustdinfo:", "trustedinfo:")),
            "s.yaml:7:1: unknown key \"trustedinfo\"");
  EXPECT_EQ(error_of(replaced(golden(), "        crt: LS0t", "        crt: !!!")).substr(0, 7),
            "s.yaml:");
  EXPECT_EQ(error_of(replaced(golden(), "        crt: LS0t", "        crt: LS0u")),
            "s.yaml:11:14: \"etcd.crt\" is not a certificate in PEM form");
  EXPECT_EQ(error_of(""), "s.yaml:1:1: the file is empty");
  EXPECT_EQ(error_of("[]"), "s.yaml:1:1: \"cluster\" must be a mapping");
}

TEST(SecretsBundle, AKeyThatBelongsToAnotherCertificateIsFound) {
  auto bundle = *read_secrets(golden(), "secrets.yaml");
  std::swap(bundle.etcd.key, bundle.k8s.key);
  EXPECT_THAT(error_of(std::string(write_secrets(bundle).reveal())),
              HasSubstr("\"etcd.key\" does not belong to its certificate"));
}

TEST(Talosconfig, ReadsWhatTalosctlWroteAndWritesTheSameBytes) {
  const std::string text = read_file("tests/golden/gen-config/talosconfig");
  const auto config = read_talosconfig(text, "talosconfig");
  ASSERT_TRUE(config.has_value()) << config.error().message;
  EXPECT_EQ(config->current, "demo");
  ASSERT_NE(config->find("demo"), nullptr);
  EXPECT_THAT(inspect(config->find("demo")->client.certificate)->organizations,
              ElementsAre("os:admin"));
  EXPECT_EQ(config->find("other"), nullptr);
  EXPECT_EQ(std::string(write_talosconfig(*config).reveal()), text);
}

TEST(Talosconfig, IsMadeFromTheSecrets) {
  const auto bundle = read_secrets(golden(), "secrets.yaml");
  const auto made =
      make_talosconfig("infra", bundle->os, {"10.0.0.1"}, {"10.0.0.1", "10.0.0.2"}, kNow);
  ASSERT_TRUE(made.has_value());
  const auto back = read_talosconfig(write_talosconfig(*made).reveal(), "talosconfig");
  ASSERT_TRUE(back.has_value());
  const TalosContext* context = back->find("infra");
  ASSERT_NE(context, nullptr);
  EXPECT_THAT(context->endpoints, ElementsAre("10.0.0.1"));
  EXPECT_THAT(context->nodes, ElementsAre("10.0.0.1", "10.0.0.2"));
  EXPECT_TRUE(signed_by(context->client.certificate, context->ca));
}

TEST(Talosconfig, NamesThePlaceOfADefect) {
  EXPECT_EQ(read_talosconfig("context: a\n", "t").error().message,
            "t:1:1: \"contexts\" must be a mapping");
  EXPECT_EQ(read_talosconfig("contexts:\n  a:\n    ca: '#'\n", "t").error().message,
            "t:3:9: \"ca\" is not base64");
  EXPECT_EQ(
      read_talosconfig("contexts:\n  a:\n    crt: YQ==\n    key: YQ==\n", "t").error().message,
      "t:2:3: the key of the context \"a\" does not belong to its certificate");
}

TEST(SecretsBundle, ThatIsThrownAwayIsWhole) {
  const SecretsBundle bundle = throw_away_secrets(WallTime(), {1, 12, 0});
  const auto again = read_secrets(write_secrets(bundle).reveal(), "secrets.yaml");
  ASSERT_TRUE(again) << again.error().message;
}

}  // namespace
}  // namespace ichor::pki
