#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr const char* kImage =
    "factory.talos.dev/installer/"
    "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"
    ":v1.13.10";

/// One control plane that is up and ready.
class NodeUpgradeTest : public testing::Test {
 protected:
  explicit NodeUpgradeTest(Personality personality = Personality::v1_13) : bench_(personality) {
    node_ = &bench_.configured("cp1");
    EXPECT_TRUE(node_->bootstrap(Bench::admin));
    EXPECT_TRUE(is_ready());
  }
  bool is_ready() {
    return bench_.run_to([this] {
      const auto status = node_->machine_status(Bench::admin);
      return status && status->stage == Stage::running && status->ready;
    });
  }
  TalosVersion version() { return version_of(node_->spec()); }
  /// The installer's exit code.
  int install(const std::string& image) {
    const auto number = node_->start_installer(Bench::admin, image);
    EXPECT_TRUE(number) << number.error().text;
    bench_.run_to([&] { return node_->installer_exit(*number).has_value(); });
    return *node_->installer_exit(*number);
  }

  Bench bench_;
  Node* node_;
};

class OldNodeUpgradeTest : public NodeUpgradeTest {
 protected:
  OldNodeUpgradeTest() : NodeUpgradeTest(Personality::v1_12) {}
};

TEST_F(NodeUpgradeTest, AnInstallIsBootedByTheNextRebootAndConfirmedWhenTheNodeIsReady) {
  EXPECT_EQ(install(kImage), 0);
  EXPECT_EQ(version(), (TalosVersion{1, 13, 9})) << "nothing has rebooted";
  EXPECT_TRUE(node_->upgrade_state(Bench::admin)->pending);
  const BootId before = node_->boot_id();
  EXPECT_TRUE(node_->reboot(Bench::admin));
  bench_.run_to([&] { return node_->boot_id() != before && node_->listener() == Listener::apid; });
  EXPECT_EQ(version(), (TalosVersion{1, 13, 10}));
  EXPECT_TRUE(node_->upgrade_state(Bench::admin)->pending);
  EXPECT_TRUE(is_ready());
  EXPECT_FALSE(node_->upgrade_state(Bench::admin)->pending);
  EXPECT_THAT(node_->upgrade_state(Bench::admin)->schematic, HasSubstr("376567"));
}

TEST_F(NodeUpgradeTest, PowerThatGoesAfterTheInstallBootsTheNewImage) {
  EXPECT_EQ(install(kImage), 0);
  node_->power_cycle();
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(version(), (TalosVersion{1, 13, 10}));
}

TEST_F(NodeUpgradeTest, PowerThatGoesDuringTheInstallLeavesTheOldImage) {
  const auto number = node_->start_installer(Bench::admin, kImage);
  bench_.clock.run_for(seconds(3));
  node_->power_cycle();
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(version(), (TalosVersion{1, 13, 9}));
  EXPECT_EQ(node_->installer_exit(*number), std::nullopt);
  EXPECT_FALSE(node_->upgrade_state(Bench::admin)->pending);
}

TEST_F(NodeUpgradeTest, AnImageThatDoesNotBootGivesWayToTheOldOne) {
  node_->break_image(true);
  EXPECT_EQ(install(kImage), 0);
  const BootId before = node_->boot_id();
  EXPECT_TRUE(node_->reboot(Bench::admin));
  bench_.run_to([&] { return node_->boot_id() != before; });
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(version(), (TalosVersion{1, 13, 9}));
  EXPECT_FALSE(node_->upgrade_state(Bench::admin)->pending);
}

TEST_F(NodeUpgradeTest, ASecondInstallerIsRefusedWhileOneRuns) {
  EXPECT_TRUE(node_->start_installer(Bench::admin, kImage));
  const auto second = node_->start_installer(Bench::admin, kImage);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::failed_precondition);
  EXPECT_THAT(second.error().text, HasSubstr("already in progress"));
}

TEST_F(NodeUpgradeTest, AFullDiskEndsTheInstallerAndChangesNothing) {
  node_->fail_installer(true);
  EXPECT_EQ(install(kImage), 1);
  EXPECT_FALSE(node_->upgrade_state(Bench::admin)->pending);
  EXPECT_FALSE(node_->disk().has_other);
}

TEST_F(NodeUpgradeTest, AnImageThatIsNotThereIsNeitherPulledNorInstalled) {
  node_->miss_image(true);
  EXPECT_EQ(node_->pull_image(Bench::admin, kImage).error().code, Code::not_found);
  EXPECT_FALSE(node_->start_installer(Bench::admin, kImage));
  node_->miss_image(false);
  EXPECT_TRUE(node_->pull_image(Bench::admin, kImage));
  EXPECT_FALSE(node_->pull_image(Bench::admin, "an image without a version"));
}

TEST_F(NodeUpgradeTest, ARollbackBootsTheOtherSlotAndNeedsOne) {
  EXPECT_FALSE(node_->rollback(Bench::admin));
  EXPECT_EQ(install(kImage), 0);
  EXPECT_TRUE(node_->rollback(Bench::admin)) << "calls the new image off";
  bench_.clock.run_for(minutes(1));
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(version(), (TalosVersion{1, 13, 9}));
}

TEST_F(OldNodeUpgradeTest, MachineServiceInstallsAndRebootsByItself) {
  const auto refused = node_->start_installer(Bench::admin, kImage);
  EXPECT_EQ(refused.error().code, Code::unimplemented);
  EXPECT_TRUE(node_->upgrade(Bench::admin, kImage));
  EXPECT_EQ(node_->stage(), Stage::upgrading);
  const BootId before = node_->boot_id();
  bench_.run_to([&] { return node_->boot_id() != before && node_->listener() == Listener::apid; });
  EXPECT_TRUE(is_ready());
  EXPECT_EQ(version(), (TalosVersion{1, 13, 10}));
  EXPECT_EQ(node_->spec().personality, Personality::v1_13) << "it behaves as the new release";
}

TEST(BootSlots, AreNamedByVersionAndSchematic) {
  EXPECT_EQ(slot_of("ghcr.io/siderolabs/installer:v1.12.6")->version, (TalosVersion{1, 12, 6}));
  EXPECT_EQ(slot_of("ghcr.io/siderolabs/installer:v1.12.6")->schematic, "");
  EXPECT_EQ(slot_of(kImage)->schematic.size(), 64u);
  EXPECT_FALSE(slot_of("installer:latest"));
  EXPECT_FALSE(slot_of("installer:v1.12"));
}

}  // namespace
}  // namespace ichor::sim
