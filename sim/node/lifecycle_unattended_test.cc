#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Mode = Node::ApplyMode;
using Phase = UnattendedInstall::Phase;

/// Machines of Talos 1.14 whose configs have a UnattendedInstallConfig.
struct Metal14 : ::testing::Test {
  Node& add(const std::string& name, ConfigFacts facts) {
    Node& node = bench.add(name);
    bench.judge.know(Bench::config(name), std::move(facts));
    node.power_on();
    EXPECT_TRUE(bench.run_to(node, Stage::maintenance));
    return node;
  }
  static ConfigFacts unattended(const std::string& name) {
    ConfigFacts facts = Bench::facts(name);
    facts.unattended = true;
    return facts;
  }
  std::optional<Phase> phase(const Node& node) const {
    const auto status = node.machine_status(Bench::admin);
    if (!status || !status->install) return std::nullopt;
    return status->install->phase;
  }

  Bench bench{Personality::v1_14, Platform::metal};
};

TEST_F(Metal14, InstallsItselfWhileItBootsAndThenReboots) {
  Node& cp1 = add("cp1", unattended("cp1"));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  EXPECT_EQ(cp1.stage(), Stage::booting);
  EXPECT_EQ(phase(cp1), Phase::installing);
  EXPECT_FALSE(cp1.trustd_running());
  const auto early = cp1.bootstrap(Bench::admin);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().text, "bootstrap is not available yet");
  ASSERT_TRUE(bench.run_to(cp1, Stage::rebooting));
  EXPECT_TRUE(cp1.disk().installed);
  EXPECT_EQ(cp1.disk().config, Bench::config("cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  EXPECT_EQ(phase(cp1), std::nullopt);
  EXPECT_TRUE(cp1.bootstrap(Bench::admin));
}

TEST_F(Metal14, RefusesBootstrapWhileItWaitsForItsReboot) {
  Node& cp1 = add("cp1", unattended("cp1"));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to(cp1, Stage::rebooting));
  ASSERT_TRUE(cp1.disk().installed);
  const auto early = cp1.bootstrap(Bench::admin);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().text, "bootstrap is not available yet");
  EXPECT_FALSE(cp1.disk().etcd_cluster.has_value());
}

TEST_F(Metal14, ForgetsItsConfigWithoutPowerBeforeTheInstallationIsOver) {
  Node& cp1 = add("cp1", unattended("cp1"));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  cp1.power_cycle();
  EXPECT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_FALSE(cp1.disk().installed);
}

TEST_F(Metal14, GoesOnWithoutARebootIfItsConfigSaysSo) {
  ConfigFacts facts = unattended("cp1");
  facts.reboots_after_install = false;
  Node& cp1 = add("cp1", facts);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  const BootId boot = cp1.boot_id();
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  EXPECT_EQ(cp1.boot_id(), boot);
  EXPECT_TRUE(cp1.disk().installed);
}

TEST_F(Metal14, WaitsForADiskThatMatchesAndTriesAgainWithoutARegistry) {
  ConfigFacts nowhere = unattended("cp1");
  nowhere.install_disk = "";
  Node& cp1 = add("cp1", nowhere);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  bench.clock.run_for(minutes(10));
  EXPECT_EQ(phase(cp1), Phase::pending);
  EXPECT_EQ(cp1.bootstrap(Bench::admin).error().text, "bootstrap is not available yet");

  Node& cp2 = add("cp2", unattended("cp2"));
  cp2.fail_install_pull(true);
  ASSERT_TRUE(bench.apply(cp2, "cp2"));
  ASSERT_TRUE(bench.run_to([&] { return cp2.listener() == Listener::apid; }));
  bench.clock.run_for(minutes(10));
  EXPECT_EQ(phase(cp2), Phase::failed);
  cp2.fail_install_pull(false);
  EXPECT_TRUE(bench.run_to(cp2, Stage::rebooting));
}

TEST_F(Metal14, WithAnOldConfigInstallsByTheOldSequence) {
  Node& cp1 = add("cp1", Bench::facts("cp1"));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  EXPECT_TRUE(bench.run_to(cp1, Stage::installing));
}

TEST_F(Metal14, KnowsNoRebootModeOutsideMaintenanceMode) {
  Node& cp1 = add("cp1", unattended("cp1"));
  const auto first = cp1.apply(Bench::insecure, Bench::config("cp1"), Mode::reboot, false);
  ASSERT_TRUE(first) << first.error().text;
  EXPECT_EQ(first->mode, Mode::no_reboot);
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  const auto second = cp1.apply(Bench::admin, Bench::config("cp1"), Mode::reboot, false);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::unimplemented);
  const auto automatic = cp1.apply(Bench::admin, Bench::config("cp1"), Mode::automatic, false);
  ASSERT_TRUE(automatic);
  EXPECT_EQ(automatic->mode_details, "Applied configuration without a reboot");
}

TEST_F(Metal14, AVolumeOfEtcdsOwnOutlivesEphemeral) {
  ConfigFacts facts = unattended("cp1");
  facts.etcd_volume = true;
  Node& cp1 = add("cp1", facts);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp1.disk().etcd_cluster.has_value(); }));
  EXPECT_TRUE(cp1.disks(Bench::admin)->front().etcd_volume);

  ResetRequest part;
  part.graceful = false;
  part.partitions = {"STATE", "EPHEMERAL"};
  ASSERT_TRUE(cp1.reset(Bench::admin, part));
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_TRUE(cp1.disk().etcd_cluster.has_value());
  EXPECT_TRUE(cp1.disks(Bench::insecure)->front().etcd_volume);

  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  EXPECT_TRUE(cp1.etcd_has_data(Bench::admin).value());
  part.partitions = {};
  ASSERT_TRUE(cp1.reset(Bench::admin, part));
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_FALSE(cp1.disk().etcd_cluster.has_value());
}

}  // namespace
}  // namespace ichor::sim
