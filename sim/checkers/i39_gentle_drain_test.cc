#include "sim/checkers/upgrade_history.h"

namespace ichor::sim {
namespace {

using ::testing::HasSubstr;

constexpr const char* kImage = "ghcr.io/siderolabs/installer:v1.12.7";
const KubeRef kPod{{"", "v1", "Pod"}, "apps", "web-1"};

TEST(GentleDrain, HoldsForAnEvictionAndACordonedNode) {
  UpgradeHistory history("I39");
  history.cordons("w1", true);
  history.checker->on_kube_request(history.kube_request(Call::evict, kPod));
  history.installs("w1", kImage);
  EXPECT_EQ(history.violation(), "");
}

TEST(GentleDrain, IsBrokenByAPodThatIsDeleted) {
  UpgradeHistory history("I39");
  history.checker->on_kube_request(history.kube_request(Call::kube_delete, kPod));
  EXPECT_THAT(history.violation(), HasSubstr("apps/web-1 was deleted past its budget"));
}

TEST(GentleDrain, IsBrokenByAnInstallOnANodeThatStillGetsPods) {
  UpgradeHistory history("I39");
  history.installs("w1", kImage);
  EXPECT_EQ(history.violation(), "w1 was installed without being cordoned");
}

TEST(GentleDrain, IsBrokenByAnyOtherObjectThatChanges) {
  UpgradeHistory history("I39");
  history.checker->on_kube_effect(
      history.kube_request(Call::kube_apply, {{"apps", "v1", "Deployment"}, "apps", "web"}));
  EXPECT_THAT(history.violation(), HasSubstr("an upgrade changed"));
}

}  // namespace
}  // namespace ichor::sim
