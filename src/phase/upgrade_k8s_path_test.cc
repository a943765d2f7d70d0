#include "phase/upgrade_k8s_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/test_upgrade_k8s.h"

namespace ichor {
namespace {

using testing::HasSubstr;

class KubernetesPathTest : public UpgradeK8sRig {
 protected:
  /// "U9: FIX", or empty where the path is good.
  std::string trouble(const std::string& name) {
    const auto found = kubernetes_path_trouble(upgrade_, plan_of(name), node(name));
    return found ? found->id + ": " + found->fix : std::string();
  }
  void runs(const std::string& component, const std::string& version) {
    node("cp1").kube->components[component] = pod(component, version);
  }
};

TEST_F(KubernetesPathTest, ApiServersGoOneMinorAtATime) {
  EXPECT_EQ(trouble("cp1"), "");
  runs("kube-apiserver", "v1.34.5");
  EXPECT_EQ(trouble("cp1"), "U9: `ichor upgrade-k8s --to v1.35.2` first");
  runs("kube-apiserver", "v1.36.3");
  EXPECT_EQ(trouble("cp1"), "") << "where it has arrived it may stay";
  runs("kube-scheduler", "v1.37.0");
  EXPECT_THAT(trouble("cp1"), HasSubstr("does not go back"));
}

TEST_F(KubernetesPathTest, AnOlderPatchIsTakenByNameOnly) {
  upgrade_.target = {1, 35, 1};
  EXPECT_EQ(trouble("cp1"), "");
  upgrade_.target_given = false;
  EXPECT_THAT(trouble("cp1"), HasSubstr("`ichor upgrade-k8s --to v1.35.1`"));
  upgrade_.target = {1, 34, 9};
  upgrade_.target_given = true;
  EXPECT_THAT(trouble("cp1"), HasSubstr("older minor")) << "an older minor never";
}

TEST_F(KubernetesPathTest, KubeletsMayBeThreeMinorsBehind) {
  node("w1").kube->kubelet_version = "v1.33.0";
  EXPECT_EQ(trouble("w1"), "");
  node("w1").kube->kubelet_version = "v1.32.9";
  EXPECT_THAT(trouble("w1"), HasSubstr("`ichor upgrade-k8s --to v1.35.2` first"));
}

TEST_F(KubernetesPathTest, TalosMustRunTheVersion) {
  node("w1").version = TalosVersion{1, 12, 6};
  EXPECT_EQ(trouble("w1"), "U9: upgrade Talos first: `ichor upgrade --to v1.13.9`");
  node("w1").version = TalosVersion{1, 19, 0};
  EXPECT_EQ(trouble("w1"), "U9: use an ichor that knows this release");
}

TEST_F(KubernetesPathTest, SettingsThatTheTargetDoesNotHaveAreNamed) {
  const SecretString text(
      config_of("w1", "v1.35.0",
                R"({pod-infra-container-image: x, feature-gates: "AppArmor=true,New=true"})"));
  const auto settings = read_kubernetes(text);
  ASSERT_TRUE(settings);
  const auto at_35 = removed_settings({1, 35, 0}, NodeName("w1"), *settings);
  ASSERT_EQ(at_35.size(), 2u);
  EXPECT_THAT(at_35[0].what, HasSubstr("kubelet the flag pod-infra-container-image"));
  EXPECT_THAT(at_35[1].what, HasSubstr("feature gate AppArmor"));
  EXPECT_EQ(removed_settings({1, 34, 0}, NodeName("w1"), *settings).size(), 1u);
  EXPECT_TRUE(removed_settings({1, 32, 0}, NodeName("w1"), *settings).empty());
}

TEST_F(KubernetesPathTest, ApiVersionsThatGoOnTheWayAreNamedWithTheirWriter) {
  const std::vector<RemovedApiUse> uses = {
      {36, "example.k8s.io/v1beta1 Thing", "Thing/a", "old-operator"},
      {35, "gone.k8s.io/v1 Gone", "Gone/a", ""},
      {37, "later.k8s.io/v1 Later", "Later/a", ""}};
  const auto found = removed_api_uses(upgrade_.target, node("cp1"), uses);
  ASSERT_EQ(found.size(), 1u) << "what 1.35 dropped is not in use, and 1.37 is not the target";
  EXPECT_EQ(found[0].id, "U10");
  EXPECT_THAT(found[0].what, HasSubstr("Thing/a exists, last written with it by old-operator"));
}

}  // namespace
}  // namespace ichor
