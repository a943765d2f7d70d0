#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Faults : ::testing::TestWithParam<Personality> {
  Bench bench{GetParam(), Platform::metal};

  Node& in_maintenance(const std::string& name) {
    Node& node = bench.add(name);
    node.power_on();
    EXPECT_TRUE(bench.run_to(node, Stage::maintenance));
    return node;
  }
};

INSTANTIATE_TEST_SUITE_P(BothPersonalities, Faults,
                         ::testing::Values(Personality::v1_12, Personality::v1_13),
                         [](const auto& info) {
                           return info.param == Personality::v1_12 ? "v1_12" : "v1_13";
                         });

TEST_P(Faults, WhileTheInstallerCannotBePulledTheNodeStaysInInstalling) {
  Node& cp1 = in_maintenance("cp1");
  cp1.fail_install_pull(true);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  bench.clock.run_for(minutes(19));
  EXPECT_EQ(cp1.stage(), Stage::installing);
  EXPECT_TRUE(cp1.disk().blank_disks.empty());
  cp1.fail_install_pull(false);
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
}

TEST_P(Faults, APullThatNeverWorksEndsInAnotherMaintenanceBoot) {
  Node& cp1 = in_maintenance("cp1");
  cp1.fail_install_pull(true);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to(cp1, Stage::rebooting));
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_FALSE(cp1.disk().installed);
}

TEST_P(Faults, ADeadDiskTakesEtcdWithItForGood) {
  Node& cp1 = in_maintenance("cp1");
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.bootstrap(Bench::admin).has_value(); }));
  ASSERT_TRUE(bench.run_to([&] { return cp1.api_server_ready(); }));
  cp1.kill_disk();
  EXPECT_TRUE(cp1.disks(Bench::reader)->front().read_only);
  EXPECT_FALSE(cp1.api_server_ready());
  EXPECT_FALSE(cp1.etcd_members(Bench::admin));
  cp1.power_cycle();
  bench.clock.run_for(minutes(5));
  EXPECT_FALSE(cp1.api_server_ready());
}

TEST_P(Faults, WithoutTimeNothingThatNeedsItStarts) {
  Node& cp1 = in_maintenance("cp1");
  cp1.hold_time_sync(true);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.disk().installed; }));
  ASSERT_TRUE(bench.run_to([&] { return cp1.listener() == Listener::apid; }));
  bench.clock.run_for(minutes(10));
  EXPECT_FALSE(*cp1.time_synced(Bench::reader));
  EXPECT_EQ(to_text(*cp1.machine_status(Bench::reader)),
            "booting time (time is not synced); services (kubelet not running, etcd not running, "
            "trustd not running); nodeReady (node \"cp1\" status is not available yet)");
  const auto refused = cp1.bootstrap(Bench::admin);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::failed_precondition);
  EXPECT_EQ(refused.error().text, "time is not in sync yet");

  cp1.hold_time_sync(false);
  EXPECT_TRUE(*cp1.time_synced(Bench::reader));
  EXPECT_TRUE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp1.api_server_ready(); }));
}

TEST_P(Faults, AFrozenNodeKeepsItsPortButAnswersNothingAndMovesNowhere) {
  Node& cp1 = bench.configured("cp1");
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp1.etcd_status(Bench::admin).has_value(); }));
  cp1.freeze(true);
  bench.clock.run_for(minutes(30));
  EXPECT_TRUE(cp1.frozen());
  EXPECT_EQ(cp1.listener(), Listener::apid);
  EXPECT_EQ(cp1.machine_status(Bench::admin).error().code, Code::deadline_exceeded);
  EXPECT_FALSE(bench.fabric.clusters().front()->has_quorum());
  cp1.freeze(false);
  EXPECT_FALSE(cp1.api_server_ready());
  ASSERT_TRUE(bench.run_to([&] { return cp1.api_server_ready(); }, minutes(1)));
}

TEST_P(Faults, APowerCycleThawsAFrozenNode) {
  Node& cp1 = bench.configured("cp1");
  cp1.freeze(true);
  EXPECT_FALSE(cp1.trustd_running());
  cp1.power_cycle();
  EXPECT_FALSE(cp1.frozen());
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
}

TEST_P(Faults, WhatIsLetGoDuringAFreezeCountsAfterwards) {
  Node& cp1 = in_maintenance("cp1");
  cp1.fail_install_pull(true);
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to(cp1, Stage::installing));
  cp1.freeze(true);
  cp1.fail_install_pull(false);
  bench.clock.run_for(minutes(5));
  EXPECT_EQ(cp1.stage(), Stage::installing);
  cp1.freeze(false);
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }, minutes(5)));
}

TEST_P(Faults, WithoutACniANodeRegistersButIsNeverReady) {
  Node& cp1 = bench.add("cp1");
  ConfigFacts facts = Bench::facts("cp1");
  facts.cni_none = true;
  bench.judge.know(Bench::config("cp1"), facts);
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to([&] { return cp1.kubelet_running(); }));
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  bench.clock.run_for(minutes(20));
  EXPECT_EQ(to_text(*cp1.machine_status(Bench::admin)),
            "running nodeReady (node \"cp1\" is not ready)");
  EXPECT_EQ(*cp1.kubeconfig(Bench::admin), "https://10.5.0.2:6443");
}

TEST_P(Faults, ANodeRegistersOnlyWhileSomeApiServerAnswers) {
  Node& cp1 = bench.configured("cp1");
  Node& worker = bench.add("worker1");
  worker.power_on();
  ASSERT_TRUE(bench.run_to(worker, Stage::maintenance));
  ASSERT_TRUE(bench.apply(worker, "worker1"));
  ASSERT_TRUE(bench.run_to(worker, Stage::running));
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp1.api_server_ready(); }));
  bench.clock.run_for(seconds(10));
  cp1.power_off();
  bench.clock.run_for(minutes(10));
  EXPECT_EQ(worker.machine_status(Bench::admin)->unmet.back().reason,
            "node \"worker1\" status is not available yet");
  cp1.power_on();
  ASSERT_TRUE(bench.run_to([&] { return worker.machine_status(Bench::admin)->ready; }));
}

}  // namespace
}  // namespace ichor::sim
