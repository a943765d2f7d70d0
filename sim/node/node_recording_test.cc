// Golden tests: what a real machined 1.12.6 in container mode was seen doing
// (real-talos/README.md, "Stage sequence" and "Times"), done by the model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

struct Recording : ::testing::Test {
  Bench bench{Personality::v1_12, Platform::container};

  MonoTime at(milliseconds since_power_on) const { return MonoTime(since_power_on); }
  double seconds_now() const {
    return std::chrono::duration<double>(bench.clock.now().time_since_epoch()).count();
  }
};

TEST_F(Recording, OneControlPlaneFromPowerOnToReadyAndThroughAReboot) {
  Node& cp1 = bench.add("cp1");
  Diary diary(cp1);
  cp1.power_on();
  bench.clock.run_until(at(milliseconds(4700)));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  bench.clock.run_until(at(milliseconds(17'400)));
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  bench.clock.run_until(at(milliseconds(99'700)));
  EXPECT_THAT(
      diary.lines(),
      ElementsAre(
          "silent",                      //
          "insecure maintenance ready",  //
          "refused",
          "mTLS booting services (kubelet not running, etcd not running); nodeReady (node \"cp1\" "
          "status is not available yet)",
          "mTLS booting services (etcd not running); nodeReady (node \"cp1\" status is not "
          "available "
          "yet)",
          "mTLS running services (etcd not running); nodeReady (node \"cp1\" status is not "
          "available "
          "yet)",
          "mTLS running nodeReady (node \"cp1\" status is not available yet)",
          "mTLS running nodeReady (node \"cp1\" is not ready)",  //
          "mTLS running ready"));

  Diary second(cp1);
  const auto reply = cp1.apply(Bench::admin, Bench::config("cp1"), Node::ApplyMode::reboot, false);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->mode_details, "Applied configuration with a reboot");
  bench.clock.run_for(std::chrono::minutes(3));
  EXPECT_THAT(
      second.lines(),
      ElementsAre(
          "mTLS running ready",
          "mTLS rebooting ready",  // "ready" is stale
          "silent",
          "mTLS booting services (kubelet not running, etcd not running); nodeReady (node \"cp1\" "
          "status is not available yet)",
          "mTLS booting services (kubelet not running); nodeReady (node \"cp1\" status is not "
          "available "
          "yet)",
          "mTLS booting nodeReady (node \"cp1\" status is not available yet)",
          "mTLS running nodeReady (node \"cp1\" status is not available yet)",
          "mTLS running staticPods (kube-system/kube-controller-manager-cp1 not ready, "
          "kube-system/kube-scheduler-cp1 not ready); nodeReady (node \"cp1\" is not ready)",
          "mTLS running ready"));
}

TEST_F(Recording, TheTimesAreTheRecordedOnes) {
  Node& cp1 = bench.add("cp1");
  cp1.power_on();
  const auto expect_at = [&](double recorded, auto&& condition, const char* what) {
    ASSERT_TRUE(bench.run_to(condition)) << what;
    EXPECT_NEAR(seconds_now(), recorded, 0.5) << what;
  };
  expect_at(
      1.5, [&] { return cp1.stage() == Stage::maintenance; }, "maintenance");
  bench.clock.run_until(at(milliseconds(4700)));
  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  expect_at(
      5.3, [&] { return cp1.listener() == Listener::apid; }, "apid");
  expect_at(
      7.7, [&] { return cp1.kubelet_running(); }, "kubelet");
  bench.clock.run_until(at(milliseconds(17'400)));
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  expect_at(
      17.6, [&] { return cp1.stage() == Stage::running; }, "running");
  expect_at(
      17.9, [&] { return cp1.etcd_status(Bench::admin).has_value(); }, "etcd running");
  const auto etcd_healthy = [&] {
    const auto services = *cp1.services(Bench::admin);
    return std::any_of(services.begin(), services.end(),
                       [](const auto& service) { return service.id == "etcd" && service.healthy; });
  };
  expect_at(22.6, etcd_healthy, "etcd healthy");
  expect_at(
      37.8, [&] { return cp1.api_server_ready(); }, "kube-apiserver");
  const auto ready = [&] { return cp1.machine_status(Bench::admin)->ready; };
  expect_at(91.5, ready, "ready");
}

// cp2 +28 s, cp3 +48 s after the bootstrap of cp1: one joins after the other. The worker runs
// without any.
TEST_F(Recording, ControlPlanesJoinOneAfterTheOtherAndAWorkerNeedsNoBootstrap) {
  for (const char* name : {"cp1", "cp2", "cp3", "worker1"}) bench.add(name).power_on();
  bench.clock.run_until(at(milliseconds(3000)));
  for (int i = 0; const char* name : {"cp1", "cp2", "cp3", "worker1"}) {
    ASSERT_TRUE(bench.apply(*bench.nodes[i++], name));
  }
  bench.clock.run_until(at(seconds(20)));
  EXPECT_EQ(bench.nodes[3]->stage(), Stage::running);
  EXPECT_FALSE(bench.nodes[3]->machine_status(Bench::admin)->ready);
  for (int cp = 0; cp < 3; ++cp) EXPECT_EQ(bench.nodes[cp]->stage(), Stage::booting);

  ASSERT_TRUE(bench.nodes[0]->bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to(*bench.nodes[1], Stage::running));
  EXPECT_EQ(bench.nodes[2]->stage(), Stage::booting);
  EXPECT_NEAR(seconds_now() - 20, 28, 8);
  ASSERT_TRUE(bench.run_to(*bench.nodes[2], Stage::running));
  EXPECT_NEAR(seconds_now() - 20, 48, 8);
  const auto all_ready = [&] {
    return std::all_of(bench.nodes.begin(), bench.nodes.end(),
                       [](const auto& node) { return node->machine_status(Bench::admin)->ready; });
  };
  ASSERT_TRUE(bench.run_to(all_ready));
  EXPECT_NEAR(seconds_now() - 3, 91, 15);  // first apply to `talosctl health` green
}

TEST_F(Recording, AnUnbootstrappedControlPlaneSitsInPreparing) {
  Node& cp1 = bench.configured("cp1");
  const auto services = *cp1.services(Bench::admin);
  std::vector<std::string> ids;
  for (const ServiceStatus& service : services) {
    ids.push_back(service.id);
    if (service.id != "etcd") continue;
    EXPECT_EQ(service.state, "Preparing");
    EXPECT_EQ(service.last_message, "Running pre state");
    EXPECT_TRUE(service.health_unknown);
  }
  EXPECT_THAT(ids,
              ElementsAre("apid", "containerd", "cri", "etcd", "kubelet", "machined", "trustd"));
  EXPECT_EQ(cp1.stage(), Stage::booting);
}

}  // namespace
}  // namespace ichor::sim
