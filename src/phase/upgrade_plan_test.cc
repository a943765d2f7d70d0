#include "phase/upgrade_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::HasSubstr;

const std::string kOne(64, 'a');
const std::string kTwo(64, 'b');

class UpgradePlanTest : public testing::Test {
 protected:
  UpgradePlanTest() {
    node_.name = NodeName("w1");
    plan_.target = {1, 13, 9};
  }
  std::string image() const {
    const auto made = upgrade_image(profile_, plan_, node_, running_);
    return made ? *made : "refused " + made.error().id;
  }
  /// "fine", or the id and the fix.
  std::string path(TalosVersion from, TalosVersion to, const std::string& kubernetes = "1.35.2",
                   bool given = true) {
    plan_.target = to;
    plan_.target_given = given;
    const auto trouble = path_trouble(plan_, node_.name, from, kubernetes);
    return trouble ? trouble->id + " " + trouble->fix : "fine";
  }

  ClusterProfile profile_;
  NodePlan node_;
  UpgradePlan plan_;
  UpgradeView running_;
};

TEST_F(UpgradePlanTest, TheImageIsThatOfTheTargetAndOfTheSchematicThatIsMeant) {
  EXPECT_EQ(image(), "ghcr.io/siderolabs/installer:v1.13.9");
  running_.schematic = kOne;
  EXPECT_EQ(image(), "factory.talos.dev/installer/" + kOne + ":v1.13.9");
  profile_.talos.schematic_id = kTwo;
  EXPECT_EQ(image(), "factory.talos.dev/installer/" + kTwo + ":v1.13.9");
  node_.schematic = kOne;
  EXPECT_EQ(image(), "factory.talos.dev/installer/" + kOne + ":v1.13.9");
  plan_.schematic = kTwo;
  EXPECT_EQ(image(), "factory.talos.dev/installer/" + kTwo + ":v1.13.9");
}

TEST_F(UpgradePlanTest, AnImageThatTheProfileNamesGetsAnotherTag) {
  profile_.talos.installer_image = "10.5.0.1:5000/installer:v1.12.6";
  EXPECT_EQ(image(), "10.5.0.1:5000/installer:v1.13.9");
  plan_.schematic = kOne;
  EXPECT_EQ(image(), "refused U6") << "it is of no schematic";
  profile_.talos.installer_image = "mirror.lan/metal-installer/" + kTwo + ":v1.12.6";
  EXPECT_EQ(image(), "mirror.lan/metal-installer/" + kOne + ":v1.13.9");
}

TEST_F(UpgradePlanTest, AnImageWithoutATagCannotBecomeAnotherVersions) {
  for (const char* fixed : {"10.5.0.1:5000/installer", "host/installer:v1@sha256:00"}) {
    profile_.talos.installer_image = fixed;
    EXPECT_EQ(image(), "refused U6") << fixed;
  }
}

TEST_F(UpgradePlanTest, ExtensionsAreNeverDroppedByABareInstaller) {
  running_.extensions = {"iscsi-tools"};
  EXPECT_EQ(image(), "refused U6");
  running_.schematic = kOne;
  EXPECT_EQ(image(), "factory.talos.dev/installer/" + kOne + ":v1.13.9");
  profile_.talos.installer_image = "10.5.0.1:5000/installer:v1.12.6";
  EXPECT_EQ(image(), "refused U6") << "the profile's own image has none of them";
}

TEST_F(UpgradePlanTest, TheSchematicOfAnImageIsThePartWithSixtyFourDigits) {
  EXPECT_EQ(schematic_of("factory.talos.dev/installer/" + kOne + ":v1.13.9"), kOne);
  EXPECT_EQ(schematic_of("ghcr.io/siderolabs/installer:v1.13.9"), "");
  EXPECT_EQ(schematic_of(""), "");
}

TEST_F(UpgradePlanTest, TheWayGoesFromMinorToMinorThroughTheLastPatch) {
  EXPECT_EQ(path({1, 12, 6}, {1, 13, 9}), "fine");
  EXPECT_EQ(path({1, 12, 3}, {1, 12, 6}), "fine");
  EXPECT_EQ(path({1, 13, 9}, {1, 13, 9}), "fine");
  EXPECT_THAT(path({1, 12, 3}, {1, 13, 9}), HasSubstr("`ichor upgrade --to v1.12.6` first"));
  EXPECT_THAT(path({1, 11, 2}, {1, 13, 9}, "1.34.0"), HasSubstr("--to v1.12.6"));
  EXPECT_THAT(path({1, 13, 9}, {1, 22, 0}), HasSubstr("an ichor that knows"));
}

TEST_F(UpgradePlanTest, BackGoesOnlyAPatchAndOnlyIfItWasSaid) {
  EXPECT_EQ(path({1, 12, 6}, {1, 12, 3}), "fine");
  EXPECT_THAT(path({1, 12, 6}, {1, 12, 3}, "1.35.2", false), HasSubstr("--to v1.12.3"));
  EXPECT_THAT(path({1, 13, 9}, {1, 12, 6}), HasSubstr("etcd does not go back"));
}

TEST_F(UpgradePlanTest, KubernetesMustRunOnTheTarget) {
  EXPECT_THAT(path({1, 12, 6}, {1, 13, 9}, "v1.30.1"), HasSubstr("upgrade Kubernetes to 1.31"));
  EXPECT_THAT(path({1, 12, 4}, {1, 12, 6}, "v1.36.0"), HasSubstr("that runs Kubernetes v1.36.0"));
  EXPECT_EQ(path({1, 12, 6}, {1, 13, 9}, "v1.36.0"), "fine");
  EXPECT_EQ(path({1, 12, 6}, {1, 13, 9}, ""), "fine") << "not known";
}

}  // namespace
}  // namespace ichor
