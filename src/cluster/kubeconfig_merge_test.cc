#include "cluster/kubeconfig_merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A kubeconfig as Talos makes it, of one cluster.
SecretString kubeconfig(const std::string& name, const std::string& ca) {
  return SecretString(fmt::format(
      "apiVersion: v1\nkind: Config\nclusters:\n    - name: {0}\n      cluster:\n"
      "        server: https://{0}:6443\n        certificate-authority-data: {1}\n"
      "users:\n    - name: admin@{0}\n      user:\n        client-key-data: key-of-{1}\n"
      "contexts:\n    - context:\n        cluster: {0}\n        user: admin@{0}\n"
      "      name: admin@{0}\ncurrent-context: admin@{0}\n",
      name, ca));
}

Result<std::string> merged(const SecretString& present, const SecretString& added,
                           MergeOptions options = {"apps"}) {
  auto whole = merge_kubeconfig(present, "config", added, options);
  if (!whole) return forward_error(whole);
  return std::string(whole->reveal());
}

TEST(MergeKubeconfig, KeepsTheOtherClustersAndTheirCurrentContext) {
  const auto text = merged(kubeconfig("infra", "AAAA"), kubeconfig("apps", "BBBB"));
  ASSERT_TRUE(text.has_value());
  for (const char* part : {"https://infra:6443", "https://apps:6443", "key-of-AAAA", "key-of-BBBB",
                           "current-context: admin@infra", "name: apps\n"}) {
    EXPECT_THAT(*text, HasSubstr(part));
  }
  EXPECT_THAT(*text, Not(HasSubstr("name: admin@apps\ncurrent")))
      << "contexts bear clusters' names";
}

TEST(MergeKubeconfig, TheContextBecomesCurrentIfThereIsNoneOrByWish) {
  const SecretString apps = kubeconfig("apps", "BBBB");
  const auto asked = merged(kubeconfig("infra", "AAAA"), apps, {"apps", OnConflict::refuse, true});
  EXPECT_THAT(asked.value_or(""), HasSubstr("current-context: apps\n"));
  const auto none =
      merged(SecretString("apiVersion: v1\nkind: Config\ncurrent-context: \"\"\n"), apps);
  EXPECT_THAT(none.value_or(""), HasSubstr("current-context: apps\n"));
  const auto first = merged(SecretString(""), apps);
  EXPECT_THAT(first.value_or(""), HasSubstr("current-context: apps\n"));
}

TEST(MergeKubeconfig, AContextOfTheSameNameForAnotherClusterIsAConflict) {
  const auto refused =
      merged(SecretString("contexts:\n- name: apps\n  context: {cluster: mine, user: me}\n"),
             kubeconfig("apps", "BBBB"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("the name apps"));
}

TEST(MergeKubeconfig, TheSameClusterIsRenewedInItsPlace) {
  const SecretString apps = kubeconfig("apps", "BBBB");
  const auto once = merged(kubeconfig("infra", "AAAA"), apps);
  ASSERT_TRUE(once.has_value());
  EXPECT_EQ(merged(SecretString(*once), apps).value_or("error"), *once);
}

TEST(MergeKubeconfig, AnotherClusterOfTheSameNameIsReplacedOnlyByForce) {
  const SecretString theirs = kubeconfig("apps", "AAAA"), ours = kubeconfig("apps", "BBBB");
  const auto refused = merged(theirs, ours);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "config has another cluster with the name apps");
  const auto forced = merged(theirs, ours, {"apps", OnConflict::replace});
  ASSERT_TRUE(forced.has_value());
  EXPECT_THAT(*forced, HasSubstr("key-of-BBBB"));
  EXPECT_THAT(*forced, Not(HasSubstr("AAAA")));
}

TEST(MergeKubeconfig, AnEmptyFileOrNoneBecomesTheNewOne) {
  const SecretString ours = kubeconfig("apps", "BBBB");
  const auto fresh = merge_kubeconfig(std::nullopt, "config", ours, {"apps"});
  ASSERT_TRUE(fresh.has_value());
  EXPECT_THAT(std::string(fresh->reveal()), HasSubstr("key-of-BBBB"));
  EXPECT_EQ(merge_kubeconfig(SecretString("\n"), "config", ours, {"apps"}).value(), *fresh);
}

TEST(MergeKubeconfig, WhatIsNoKubeconfigIsLeftAlone) {
  const SecretString ours = kubeconfig("apps", "BBBB");
  for (const char* text : {"[]", "clusters: 5", "a: [", "just words"}) {
    EXPECT_FALSE(merged(SecretString(text), ours).has_value()) << text;
  }
}

TEST(MergeKubeconfig, NothingButOurOwnNamesIsMerged) {
  const SecretString present = kubeconfig("production", "AAAA");
  for (const char* list : {"clusters:\n", "users:\n", "contexts:\n"}) {
    std::string hostile(kubeconfig("apps", "BBBB").reveal());
    const std::string entry = std::string(list) + "    - name: admin@production\n";
    hostile.replace(hostile.find(list), std::string(list).size(), entry);
    EXPECT_FALSE(merged(present, SecretString(hostile), {"apps", OnConflict::replace})) << list;
  }
  EXPECT_FALSE(merged(present, kubeconfig("production", "BBBB"), {"apps", OnConflict::replace}));
}

TEST(MergeKubeconfig, AUserOfAnotherClustersContextIsAConflict) {
  const SecretString present(
      "users:\n- name: admin@apps\n  user: {token: theirs}\n"
      "contexts:\n- name: mine\n  context: {cluster: other, user: admin@apps}\n");
  const auto refused = merged(present, kubeconfig("apps", "BBBB"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("the name admin@apps"));
}

TEST(DefaultKubeconfig, IsTheOneThatKubectlWritesTo) {
  FakeHost host;
  EXPECT_EQ(default_kubeconfig(host), "");
  host.variables["HOME"] = "/home/me";
  EXPECT_EQ(default_kubeconfig(host), "/home/me/.kube/config");
  host.variables["KUBECONFIG"] = "/a::/b:/c";
  EXPECT_EQ(default_kubeconfig(host), "/c");
  host.inputs["/b"] = "";
  EXPECT_EQ(default_kubeconfig(host), "/b");
}

}  // namespace
}  // namespace ichor
