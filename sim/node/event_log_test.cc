#include "sim/node/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using Kind = NodeEvent::Kind;

/// "START boot", "phase START install", "etcd Preparing: Running pre state", "status running".
std::string to_text(const NodeEvent& event) {
  switch (event.kind) {
    case Kind::sequence: return event.action + " " + event.name;
    case Kind::phase: return "phase " + event.action + " " + event.name;
    case Kind::task: return "task " + event.action + " " + event.name;
    case Kind::service: return event.name + " " + event.action + ": " + event.message;
    case Kind::machine_status: return "status " + std::string(name_of(event.status.stage));
    case Kind::restart: return "restart " + event.name;
    case Kind::address: return "address " + event.message;
    case Kind::config_error: return "config error";
  }
  return "";
}

std::vector<std::string> texts(const std::vector<NodeEvent>& events,
                               std::initializer_list<Kind> kinds) {
  std::vector<std::string> texts;
  std::string stage;
  for (const NodeEvent& event : events) {
    if (std::find(kinds.begin(), kinds.end(), event.kind) == kinds.end()) continue;
    const std::string text = to_text(event);
    // Stages matter here, not every change of the unmet conditions.
    if (event.kind == Kind::machine_status && std::exchange(stage, text) == text) continue;
    texts.push_back(text);
  }
  return texts;
}

TEST(NodeEvents, AnInstallIsReportedSequenceByPhaseByStage) {
  Bench bench(Personality::v1_12, Platform::metal);
  Node& cp1 = bench.add("cp1");
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  const auto before = cp1.events();
  EXPECT_THAT(
      texts(before, {Kind::sequence, Kind::phase, Kind::machine_status}),
      ElementsAre("status unknown", "START initialize", "status booting",
                  "phase START systemRequirements", "phase STOP systemRequirements",
                  "phase START earlyServices", "phase STOP earlyServices", "phase START usb",
                  "phase STOP usb", "phase START meta", "phase STOP meta", "phase START dashboard",
                  "phase STOP dashboard", "phase START config", "status maintenance"));
  EXPECT_THAT(texts(before, {Kind::task}),
              IsSupersetOf({"task START loadConfig", "task START runningMaintenance"}));

  ASSERT_TRUE(bench.apply(cp1, "cp1"));
  ASSERT_TRUE(bench.run_to(cp1, Stage::rebooting));
  EXPECT_THAT(
      texts(cp1.events(before.back().id),
            {Kind::sequence, Kind::phase, Kind::machine_status, Kind::restart}),
      ElementsAre("status booting", "phase STOP config", "STOP initialize", "START install",
                  "phase START env", "phase STOP env", "phase START install", "status installing",
                  "phase STOP install", "phase START meta", "phase STOP meta",
                  "phase START saveMeta", "phase STOP saveMeta", "phase START volumeFinalize",
                  "phase STOP volumeFinalize", "phase START stopEverything",
                  "phase STOP stopEverything", "status rebooting", "phase START kexec",
                  "phase STOP kexec", "phase START reboot", "phase STOP reboot", "restart kexec",
                  "STOP install"));
}

TEST(NodeEvents, ABootEndsWhenAllServicesAreUp) {
  Bench bench(Personality::v1_12, Platform::container);
  Node& cp1 = bench.configured("cp1");
  EXPECT_THAT(texts(cp1.events(), {Kind::sequence, Kind::machine_status}),
              ElementsAre("status unknown", "START initialize", "status booting",
                          "status maintenance", "status booting", "STOP initialize",
                          "START install", "STOP install", "START boot"));
  const std::uint64_t last = cp1.events().back().id;
  ASSERT_TRUE(cp1.bootstrap(Bench::admin));
  ASSERT_TRUE(bench.run_to([&] { return cp1.api_server_ready(); }));
  EXPECT_THAT(
      texts(cp1.events(last), {Kind::sequence, Kind::service, Kind::machine_status}),
      ElementsAre("etcd Failed: Failed to run pre stage: failed to build initial etcd "
                  "cluster: failed to build cluster arguments: 1 error(s) occurred:\n\terror "
                  "getting etcd member list: context canceled",
                  "etcd Finished: Bootstrap requested", "etcd Starting: Starting service",
                  "etcd Waiting: Waiting for volumes /var/lib, ETCD to be mounted, service "
                  "\"cri\" to be \"up\", time sync, network, etcd spec",
                  "etcd Preparing: Running pre state", "STOP boot", "status running",
                  "etcd Preparing: Creating service runner",
                  "etcd Running: Started task etcd (PID 2305) for container etcd",
                  "etcd Running: Health check successful"));
}

TEST(NodeEvents, AFailedBootFlickersThroughRunning) {
  Bench bench(Personality::v1_12, Platform::container);
  Node& cp1 = bench.configured("cp1");
  const std::uint64_t last = cp1.events().back().id;
  ASSERT_TRUE(bench.run_to([&] { return cp1.stage() == Stage::rebooting; }, std::chrono::hours(2)));
  const auto events = cp1.events(last);
  EXPECT_THAT(texts(events, {Kind::sequence, Kind::machine_status}),
              ElementsAre("STOP boot", "status running", "NOOP boot", "status rebooting"));
  const auto noop = std::find_if(events.begin(), events.end(),
                                 [](const NodeEvent& event) { return event.action == "NOOP"; });
  EXPECT_TRUE(noop->message.starts_with("sequence failed: "));
}

TEST(NodeEvents, AreLostWithTheMemoryAndKeepCountingUp) {
  Bench bench;
  Node& cp1 = bench.add("cp1");
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  const std::uint64_t last = cp1.events().back().id;
  cp1.power_off();
  EXPECT_TRUE(cp1.events().empty());
  cp1.power_on();
  EXPECT_GT(cp1.events().front().id, last);
}

TEST(NodeEvents, CostNothingWithoutAListener) {
  Bench bench;
  NodeSpec spec = bench.spec("cp1");
  spec.record_events = false;
  Node& cp1 = bench.add(spec, "cp1");
  cp1.power_on();
  ASSERT_TRUE(bench.run_to(cp1, Stage::maintenance));
  EXPECT_TRUE(cp1.events().empty());
}

TEST(EventLogTest, ShowsTheLastNineHundredAndNinety) {
  EventLog log(true);
  for (int i = 0; i < 5000; ++i) log.address(MonoTime{});
  const auto events = log.read(0, NodeName("n"), IpAddress("10.0.0.1"));
  EXPECT_EQ(events.size(), 990u);
  EXPECT_EQ(events.back().id, 5000u);
  EXPECT_EQ(log.read(4999, NodeName(), IpAddress()).size(), 1u);
}

}  // namespace
}  // namespace ichor::sim
