#include "machineconfig/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pki/base64.h"
#include "pki/issue.h"
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

}  // namespace
}  // namespace ichor
