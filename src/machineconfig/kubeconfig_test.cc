#include "machineconfig/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "secrets/base64.h"
#include "secrets/issue.h"
#include "yaml/document.h"

namespace ichor {
namespace {

constexpr WallTime kNow{1'794'778'085'000};

TEST(Kubeconfig, HasTheNamesOfTalosAndAnAdminCertificate) {
  const pki::CertificateAndKey ca = pki::make_ca("kubernetes", pki::KeyKind::ecdsa_p256, kNow);
  const auto text = make_kubeconfig("infra", "https://192.168.22.100:6443", ca, kNow);
  ASSERT_TRUE(text.has_value());
  const auto document = yaml::parse_single(text->reveal(), "kubeconfig");
  ASSERT_TRUE(document.has_value());
  const yaml::Node& root = document->root;
  EXPECT_EQ(root.find("current-context")->text, "admin@infra");
  const yaml::Node& cluster = root.find("clusters")->items[0];
  EXPECT_EQ(cluster.find("name")->text, "infra");
  EXPECT_EQ(cluster.find_path({"cluster", "server"})->text, "https://192.168.22.100:6443");
  const yaml::Node& context = root.find("contexts")->items[0];
  EXPECT_EQ(context.find_path({"context", "user"})->text, "admin@infra");
  EXPECT_EQ(context.find_path({"context", "namespace"})->text, "default");
  const yaml::Node& user = root.find("users")->items[0];
  const auto pem = pki::from_base64(user.find_path({"user", "client-certificate-data"})->text);
  const auto facts = pki::inspect(*pem);
  EXPECT_EQ(facts->common_name, "admin");
  EXPECT_THAT(facts->organizations, testing::ElementsAre("system:masters"));
  EXPECT_TRUE(pki::signed_by(*pem, ca.certificate));
}

/// What a control plane returns, changed by whoever holds it.
class OwnKubeconfig : public testing::Test {
 protected:
  OwnKubeconfig() {
    terms_ = {"infra", "https://192.168.22.100:6443", ca_.certificate};
    real_ = make_kubeconfig("talos-default", terms_.server, ca_, kNow)->reveal();
  }
  Result<SecretString> own(const std::string& text) {
    return own_kubeconfig(SecretString(text), terms_);
  }
  std::string refusal(const std::string& text) {
    const auto owned = own(text);
    return owned ? "taken" : owned.error().message;
  }
  std::string with(const std::string& old, const std::string& text) {
    std::string changed = real_;
    const std::size_t at = changed.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return changed.replace(at, old.size(), text);
  }

  const pki::CertificateAndKey ca_ = pki::make_ca("kubernetes", pki::KeyKind::ecdsa_p256, kNow);
  const pki::CertificateAndKey other_ca_ =
      pki::make_ca("kubernetes", pki::KeyKind::ecdsa_p256, kNow);
  KubeconfigTerms terms_;
  std::string real_;
};

TEST_F(OwnKubeconfig, IsWrittenAgainUnderOurNames) {
  const auto owned = own(real_);
  ASSERT_TRUE(owned) << owned.error().message;
  EXPECT_THAT(std::string(owned->reveal()), testing::HasSubstr("current-context: admin@infra"));
  EXPECT_THAT(std::string(owned->reveal()), testing::Not(testing::HasSubstr("talos-default")));
  EXPECT_EQ(own(std::string(owned->reveal()))->reveal(), owned->reveal());
}

TEST_F(OwnKubeconfig, AnotherServerIsRefused) {
  EXPECT_THAT(refusal(with("192.168.22.100", "198.51.100.66")),
              testing::HasSubstr("its server is not https://192.168.22.100:6443"));
}

TEST_F(OwnKubeconfig, AnotherCaIsRefused) {
  EXPECT_THAT(refusal(with(pki::base64(ca_.certificate), pki::base64(other_ca_.certificate))),
              testing::HasSubstr("its CA is not"));
  const auto foreign = make_kubeconfig("infra", terms_.server, other_ca_, kNow);
  EXPECT_THAT(refusal(std::string(foreign->reveal())), testing::HasSubstr("its CA is not"));
}

TEST_F(OwnKubeconfig, AClientOfAnotherCaIsRefused) {
  std::string foreign(make_kubeconfig("infra", terms_.server, other_ca_, kNow)->reveal());
  const std::string ca = pki::base64(other_ca_.certificate);
  foreign.replace(foreign.find(ca), ca.size(), pki::base64(ca_.certificate));
  EXPECT_THAT(refusal(foreign), testing::HasSubstr("another CA signed its client certificate"));
}

TEST_F(OwnKubeconfig, MoreThanOneOfAKindIsRefused) {
  for (const char* list : {"clusters:\n", "users:\n", "contexts:\n"}) {
    const std::string more = std::string(list) + "    - name: production\n";
    EXPECT_THAT(refusal(with(list, more)), testing::HasSubstr("exactly one cluster")) << list;
  }
}

TEST_F(OwnKubeconfig, AProgramToRunIsRefused) {
  const std::string key = "        client-key-data:";
  EXPECT_THAT(refusal(with(key, "        exec: {command: evil}\n" + key)),
              testing::HasSubstr("more than a client certificate"));
  const std::string server = "        server:";
  EXPECT_THAT(refusal(with(server, "        proxy-url: http://198.51.100.66\n" + server)),
              testing::HasSubstr("more than a server and a CA"));
}

TEST_F(OwnKubeconfig, WhatIsNotAKubeconfigIsRefused) {
  for (const char* text : {"", "{}", "[]", "a: [", "clusters: 5"}) {
    EXPECT_THAT(refusal(text), testing::HasSubstr("not this cluster's")) << text;
  }
}

}  // namespace
}  // namespace ichor
