#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Metal12 : ::testing::Test {
  Bench bench{Personality::v1_12, Platform::metal};
};
struct Metal13 : ::testing::Test {
  Bench bench{Personality::v1_13, Platform::metal};
};

constexpr const char* kFresh =
    "mTLS booting time (time is not synced); services (kubelet not running, etcd not running, "
    "trustd "
    "not running); nodeReady (node \"cp1\" status is not available yet)";

TEST_F(Metal12, ThePortIsClosedFromTheConfigUntilAfterTheReboot) {
  Node& cp1 = bench.add("cp1");
  Diary diary(cp1);
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  EXPECT_EQ(cp1.listener(), Listener::refused);
  ASSERT_TRUE(bench.run_to(cp1, Stage::booting));
  EXPECT_EQ(cp1.listener(), Listener::refused);
  ASSERT_TRUE(bench.run_to(cp1, Stage::installing));
  EXPECT_EQ(cp1.listener(), Listener::refused);
  ASSERT_TRUE(bench.run_to(cp1, Stage::rebooting));
  EXPECT_EQ(cp1.listener(), Listener::refused);
  ASSERT_TRUE(bench.run_to(cp1, Stage::booting));
  EXPECT_EQ(cp1.listener(), Listener::silent);
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  EXPECT_EQ(cp1.stage(), Stage::booting);
  EXPECT_THAT(diary.lines(),
              ElementsAre("silent", "insecure maintenance ready", "refused", "silent", kFresh));
}

TEST_F(Metal13, ApidAnswersWithMutualTlsWhileInstalling) {
  Node& cp1 = bench.add("cp1");
  Diary diary(cp1);
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  EXPECT_EQ(cp1.listener(), Listener::maintenance);  // until apid has its new keys
  ASSERT_TRUE(bench.run_to(cp1, Stage::installing));
  EXPECT_EQ(cp1.listener(), Listener::apid);
  EXPECT_FALSE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::silent; }));
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  EXPECT_THAT(diary.lines(), ElementsAre("silent", "insecure maintenance ready", "refused",
                                         "mTLS installing ready", "refused", "silent", kFresh));
}

TEST_F(Metal13, AWorkersApidNeedsAControlPlanesTrustdEvenWhileInstalling) {
  Node& worker = bench.add("worker1");
  worker.power_on();
  ASSERT_TRUE(bench.run_to(worker, Stage::maintenance));
  ASSERT_TRUE(bench.apply(worker, "worker1"));
  ASSERT_TRUE(bench.run_to(worker, Stage::installing));
  EXPECT_EQ(worker.listener(), Listener::refused);
}

TEST_F(Metal12, AWorkerWaitsForAControlPlaneAndThenRunsWithoutBootstrap) {
  Node& worker = bench.add("worker1");
  worker.power_on();
  ASSERT_TRUE(bench.run_to(worker, Stage::maintenance));
  ASSERT_TRUE(bench.apply(worker, "worker1"));
  bench.clock.run_for(minutes(10));
  EXPECT_EQ(worker.listener(), Listener::refused);
  EXPECT_EQ(worker.stage(), Stage::booting);
  bench.configured("cp1");
  ASSERT_TRUE(bench.run_to(worker, Stage::running));
  EXPECT_EQ(worker.listener(), Listener::apid);
  EXPECT_THAT(bench.fabric.clusters(), IsEmpty());
}

TEST_F(Metal12, AConfiguredDiskNeverShowsMaintenance) {
  bench.configured("cp1");
  Node& cp1 = *bench.nodes[0];
  EXPECT_TRUE(cp1.disk().installed);
  EXPECT_EQ(cp1.disk().config, Bench::config("cp1"));
  Diary diary(cp1);
  cp1.power_cycle();
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  for (const std::string& line : diary.lines()) EXPECT_EQ(line.find("maintenance"), line.npos);
}

TEST_F(Metal12, EveryBootHasItsOwnIdAndEveryMaintenanceBootItsOwnKey) {
  Node& cp1 = bench.add("cp1");
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  const BootId boot = cp1.boot_id();
  const Fingerprint key = cp1.fingerprint();
  EXPECT_EQ(key.value().size(), 44u);
  EXPECT_EQ(cp1.identity(Bench::insecure)->boot_id, BootId());
  cp1.power_cycle();
  EXPECT_EQ(cp1.fingerprint(), Fingerprint());
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_NE(cp1.boot_id(), boot);
  EXPECT_NE(cp1.fingerprint(), key);
  bench.clock.run_for(minutes(5));
  const Fingerprint second = cp1.fingerprint();
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  EXPECT_NE(cp1.fingerprint(), second);
  EXPECT_EQ(cp1.identity(Bench::admin)->boot_id, cp1.boot_id());
  EXPECT_EQ(cp1.operating_system_ca(), Bench::facts("cp1").os_ca);
}

TEST_F(Metal12, AMaintenanceKeyCanChangeWhenTheClockIsSet) {
  NodeSpec spec = bench.spec("cp1");
  spec.new_key_on_time_sync = true;
  Node& cp1 = bench.add(spec, "cp1");
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  const Fingerprint first = cp1.fingerprint();
  bench.clock.run_for(seconds(10));
  EXPECT_NE(cp1.fingerprint(), first);
}

TEST_F(Metal12, TheStaticAddressTakesOverWithTheConfig) {
  Node& cp1 = bench.add("cp1");
  ConfigFacts facts = Bench::facts("cp1");
  facts.static_address = IpAddress("10.5.0.2");
  bench.judge.know(Bench::config("cp1"), facts);
  EXPECT_EQ(cp1.address(), IpAddress());
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_EQ(cp1.address(), cp1.spec().dhcp_address);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  EXPECT_EQ(cp1.address(), cp1.spec().dhcp_address);
  ASSERT_TRUE(bench.run_to(cp1, Stage::installing));
  EXPECT_EQ(cp1.address(), IpAddress("10.5.0.2"));
}

TEST_F(Metal12, AConfigWithoutMachineDocumentIsAppliedAndTheNodeStaysInMaintenance) {
  Node& cp1 = bench.add("cp1");
  ConfigFacts network;
  network.static_address = IpAddress("10.5.0.77");
  bench.judge.know("network only", network);
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  const Fingerprint key = cp1.fingerprint();
  ASSERT_TRUE(cp1.apply(Bench::insecure, "network only", Node::ApplyMode::automatic, false));
  bench.clock.run_for(minutes(5));
  EXPECT_EQ(cp1.stage(), Stage::maintenance);
  EXPECT_EQ(cp1.listener(), Listener::maintenance);
  EXPECT_EQ(cp1.address(), IpAddress("10.5.0.77"));
  EXPECT_NE(cp1.fingerprint(), key);  // the certificate names the addresses
}

TEST_F(Metal12, AnOpenStreamDelaysTheSwitchByFiveSeconds) {
  Node& cp1 = bench.add("cp1");
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  cp1.count_streams(+1);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  cp1.count_streams(-1);
  bench.clock.run_for(seconds(5));
  EXPECT_EQ(cp1.stage(), Stage::maintenance);
  bench.clock.run_for(milliseconds(700));
  EXPECT_EQ(cp1.stage(), Stage::booting);
}

TEST_F(Metal12, InstallingOverwritesTheDiskOfTheConfig) {
  NodeSpec spec = bench.spec("cp1");
  Disk data = spec.disks[0];
  data.id = "sdb";
  data.dev_path = "/dev/sdb";
  data.serial = "precious";
  data.has_volumes = true;
  spec.disks.push_back(data);
  Node& cp1 = bench.add(spec, "cp1");
  ConfigFacts facts = Bench::facts("cp1");
  facts.install_disk = "/dev/sdb";
  bench.judge.know(Bench::config("cp1"), facts);
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_TRUE((*cp1.disks(Bench::insecure))[1].has_volumes);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to(cp1, Stage::rebooting));
  EXPECT_THAT(cp1.disk().wiped_disks, ElementsAre("precious"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  const std::vector<Disk> disks = *cp1.disks(Bench::admin);
  EXPECT_FALSE(disks[0].system_disk);
  EXPECT_TRUE(disks[1].system_disk);
}

TEST_F(Metal12, AnInstallOnAnEmptyDiskWipesNothing) {
  Node& cp1 = bench.configured("cp1");
  EXPECT_THAT(cp1.disk().wiped_disks, IsEmpty());
}

TEST_F(Metal12, AMissingInstallDiskLeadsBackToMaintenance) {
  Node& cp1 = bench.add("cp1");
  ConfigFacts facts = Bench::facts("cp1");
  facts.install_disk = "/dev/nvme0n1";
  bench.judge.know(Bench::config("cp1"), facts);
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  const BootId boot = cp1.boot_id();
  EXPECT_TRUE(bench.apply(cp1, "cp1"));  // the call itself succeeds
  ASSERT_TRUE(bench.run_to(cp1, Stage::installing));
  ASSERT_TRUE(bench.run_to(cp1, Stage::rebooting));
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_NE(cp1.boot_id(), boot);
  EXPECT_FALSE(cp1.disk().installed);
  EXPECT_EQ(cp1.facts(), nullptr);
}

TEST_F(Metal12, APowerCutWhileInstallingLeadsBackToMaintenance) {
  Node& cp1 = bench.add("cp1");
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to(cp1, Stage::installing));
  bench.clock.run_for(seconds(20));
  cp1.power_cycle();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_EQ(cp1.disk().config, "");
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
}

TEST_F(Metal12, AnUnbootstrappedControlPlaneRebootsAfterSeventyMinutes) {
  Node& cp1 = bench.configured("cp1");
  const BootId boot = cp1.boot_id();
  bench.clock.run_for(minutes(69));
  EXPECT_EQ(cp1.stage(), Stage::booting);
  EXPECT_EQ(cp1.boot_id(), boot);
  ASSERT_TRUE(bench.run_to(cp1, Stage::rebooting));
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running() && cp1.boot_id() != boot; }));
  EXPECT_EQ(cp1.stage(), Stage::booting);
}

TEST_F(Metal12, ResetWipesTheSystemDiskAndComesBackInMaintenance) {
  Node& cp1 = bench.configured("cp1");
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp1.api_server_ready(); }));
  ASSERT_TRUE(cp1.reset(Bench::admin, {}));
  EXPECT_EQ(cp1.stage(), Stage::resetting);
  EXPECT_FALSE(cp1.api_server_ready());
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_FALSE(cp1.disk().installed);
  EXPECT_EQ(cp1.disk().config, "");
  EXPECT_FALSE(cp1.disk().etcd_cluster);
  EXPECT_FALSE((*cp1.disks(Bench::insecure))[0].has_volumes);
}

TEST_F(Metal12, ResetWithoutRebootAndShutdownSwitchTheMachineOff) {
  Node& cp1 = bench.configured("cp1");
  ASSERT_TRUE(cp1.shutdown(Bench::admin));
  EXPECT_EQ(cp1.machine_status(Bench::admin)->stage, Stage::shutting_down);
  ASSERT_TRUE(bench.run_to([&] { return !cp1.powered(); }));
  EXPECT_TRUE(cp1.disk().installed);
  cp1.power_on();
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  ResetRequest off;
  off.reboot = false;
  ASSERT_TRUE(cp1.reset(Bench::admin, off));
  ASSERT_TRUE(bench.run_to([&] { return !cp1.powered(); }));
  EXPECT_FALSE(cp1.disk().installed);
}

TEST_F(Metal12, AStagedConfigComesIntoForceWithTheNextBoot) {
  Node& cp1 = bench.configured("cp1");
  ConfigFacts facts = Bench::facts("cp1");
  facts.hostname = NodeName("cp1-renamed");
  bench.judge.know("next", facts);
  ASSERT_TRUE(cp1.apply(Bench::admin, "next", Node::ApplyMode::staged, false));
  EXPECT_EQ(cp1.hostname(), NodeName("cp1"));
  EXPECT_EQ(**cp1.machine_config(Bench::admin), Bench::config("cp1"));
  cp1.power_cycle();
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  EXPECT_EQ(cp1.hostname(), NodeName("cp1-renamed"));
}

TEST_F(Metal12, ATriedConfigIsRolledBackAfterAMinute) {
  Node& cp1 = bench.configured("cp1");
  ConfigFacts facts = Bench::facts("cp1");
  facts.hostname = NodeName("tried");
  bench.judge.know("try", facts);
  ASSERT_TRUE(cp1.apply(Bench::admin, "try", Node::ApplyMode::try_mode, false));
  EXPECT_EQ(cp1.hostname(), NodeName("tried"));
  bench.clock.run_for(seconds(59));
  EXPECT_EQ(cp1.hostname(), NodeName("tried"));
  bench.clock.run_for(seconds(2));
  EXPECT_EQ(cp1.hostname(), NodeName("cp1"));
  EXPECT_EQ(cp1.disk().config, Bench::config("cp1"));
}

TEST_F(Metal12, APowerCutLeavesNoCallbackBehind) {
  Node& cp1 = bench.configured("cp1");
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  bench.clock.run_for(seconds(5));
  EXPECT_FALSE(bench.clock.idle());
  cp1.power_off();
  EXPECT_TRUE(bench.clock.idle());
  EXPECT_EQ(cp1.listener(), Listener::silent);
  cp1.power_on();
  bench.nodes.clear();
  EXPECT_TRUE(bench.clock.idle());
}

TEST_F(Metal12, SubscribersHearEveryChangeAndMayLeaveWhileTheyListen) {
  Node& cp1 = bench.add("cp1");
  int first = 0;
  int second = 0;
  Node::Subscription once = 0;
  once = cp1.subscribe([&] {
    ++first;
    cp1.unsubscribe(once);
  });
  cp1.subscribe([&] {
    if (++second == 1) cp1.subscribe([] {});
  });
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_EQ(first, 1);
  EXPECT_GE(second, 2);
}

}  // namespace
}  // namespace ichor::sim
