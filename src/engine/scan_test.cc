#include "engine/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "async/signal.h"
#include "sim/virtual_clock.h"

namespace ichor {

namespace {

using testing::ElementsAre;

/// A network in memory: what is at an address, and how many tries are lost on the way to it.
class FakeNetwork final : public Scout {
 public:
  Task<Sighting> probe(Context context, IpAddress address, ProbeOptions options) override {
    tries.push_back(context.now());
    ++open;
    most_open = std::max(most_open, open);
    const int number = ++asked[address.value()];
    Sighting seen;
    seen.address = address;
    const auto found = machines.find(address.value());
    const bool lost = number <= lost_tries[address.value()];
    if (found == machines.end() || lost) {
      co_await sleep_for(context, options.connect);
    } else {
      co_await sleep_for(context, std::chrono::milliseconds(1));
      seen.kind = found->second;
      const bool slow = number <= slow_tries[address.value()];
      if (slow) seen.kind = PeerKind::other;
      if (slow) seen.trouble = CallError{};
    }
    --open;
    co_return seen;
  }

  std::map<std::string, PeerKind> machines;
  std::map<std::string, int> lost_tries, slow_tries;
  std::map<std::string, int> asked;
  std::vector<MonoTime> tries;
  int open{0}, most_open{0};
};

class Scan : public testing::Test {
 protected:
  ScanReport run(const std::string& addresses, AddressScanOptions options = {}) {
    const auto set = AddressSet::parse(addresses);
    EXPECT_TRUE(set);
    ScanReport report;
    const auto body = [&]() -> Task<void> {
      report = co_await scan(context_, network_, *set, options);
    };
    Task<void> task = body();
    task.start();
    clock_.run_for(std::chrono::hours(1));
    EXPECT_TRUE(task.done());
    return report;
  }
  static std::vector<std::string> kinds(const ScanReport& report) {
    std::vector<std::string> lines;
    for (const Sighting& seen : report.seen) {
      lines.push_back(seen.address.value() + " " + std::string(name_of(seen.kind)));
    }
    return lines;
  }

  sim::VirtualClock clock_;
  CancelScope scope_;
  Context context_{&clock_, &scope_};
  FakeNetwork network_;
};

TEST_F(Scan, WhoeverAnswersIsListedByAddress) {
  network_.machines = {{"10.0.0.9", PeerKind::maintenance},
                       {"10.0.0.100", PeerKind::other},
                       {"10.0.0.20", PeerKind::foreign},
                       {"10.0.0.7", PeerKind::refused}};
  const ScanReport report = run("10.0.0.0/24");
  EXPECT_THAT(kinds(report),
              ElementsAre("10.0.0.9 maintenance", "10.0.0.20 foreign", "10.0.0.100 other"));
  EXPECT_EQ(report.addresses, 254u);
  EXPECT_EQ(report.refused, 1u);
  EXPECT_EQ(report.silent, 250u);
  EXPECT_TRUE(report.whole);
}

TEST_F(Scan, ALostPacketIsNoMissingMachine) {
  network_.machines = {{"10.0.0.9", PeerKind::maintenance}};
  network_.lost_tries["10.0.0.9"] = 2;
  EXPECT_THAT(kinds(run("10.0.0.0/24")), ElementsAre("10.0.0.9 maintenance"));
  EXPECT_EQ(network_.asked["10.0.0.9"], 3);
  EXPECT_EQ(network_.asked["10.0.0.10"], 3);
}

TEST_F(Scan, AHandshakeThatWasNotFinishedIsTriedAgain) {
  network_.machines = {{"10.0.0.9", PeerKind::maintenance}};
  network_.slow_tries["10.0.0.9"] = 1;
  EXPECT_THAT(kinds(run("10.0.0.0/29,10.0.0.9")), ElementsAre("10.0.0.9 maintenance"));
  EXPECT_EQ(network_.asked["10.0.0.9"], 2);
}

TEST_F(Scan, WhoAcceptsAndSaysNothingIsTriedTwiceOnly) {
  network_.machines = {{"10.0.0.9", PeerKind::maintenance}};
  network_.slow_tries["10.0.0.9"] = 9;
  EXPECT_THAT(kinds(run("10.0.0.9")), ElementsAre("10.0.0.9 other"));
  EXPECT_EQ(network_.asked["10.0.0.9"], 2);
}

TEST_F(Scan, WhoAnsweredIsAskedOnce) {
  network_.machines = {{"10.0.0.9", PeerKind::maintenance}, {"10.0.0.8", PeerKind::refused}};
  run("10.0.0.0/24");
  EXPECT_EQ(network_.asked["10.0.0.9"], 1);
  EXPECT_EQ(network_.asked["10.0.0.8"], 1);
}

TEST_F(Scan, ItEndsAfterAWholePassWhenNothingIsMissing) {
  network_.machines = {{"10.0.0.9", PeerKind::maintenance}};
  AddressScanOptions options;
  options.enough = [](const std::vector<Sighting>& seen) { return seen.size() == 1; };
  const ScanReport report = run("10.0.0.0/24", options);
  EXPECT_EQ(report.passes, 1);
  EXPECT_EQ(network_.asked.size(), 254u);
  EXPECT_EQ(network_.asked["10.0.0.10"], 1);
}

TEST_F(Scan, ItKeepsToItsRateAndToItsConnections) {
  AddressScanOptions options;
  options.most = options.peak = 100;
  options.within = std::chrono::seconds(1);
  options.passes = 1;
  run("10.0.0.0/22", options);
  ASSERT_EQ(network_.tries.size(), 1022u);
  const Duration took = network_.tries.back() - network_.tries.front();
  EXPECT_GE(took, std::chrono::seconds(10));
  EXPECT_LE(took, std::chrono::seconds(11));
  // 1.2 s at 100 a second.
  EXPECT_LE(network_.most_open, 125);

  network_.most_open = 0;
  options.most = options.peak = 100'000;
  options.at_once = 64;
  run("10.0.0.0/22", options);
  EXPECT_EQ(network_.most_open, 64);
}

TEST_F(Scan, NoMoreNeighboursAreAskedForThanTheKernelHasRoomFor) {
  AddressScanOptions options;
  options.passes = 1;
  run("10.0.0.0/20", options);
  ASSERT_EQ(network_.tries.size(), 4094u);
  for (std::size_t i = 0; i + 1000 < network_.tries.size(); ++i) {
    EXPECT_GE(network_.tries[i + 1000] - network_.tries[i], std::chrono::seconds(3)) << i;
  }
}

TEST_F(Scan, CalledOffItSaysSo) {
  clock_.call_at(clock_.now() + std::chrono::milliseconds(100), [this] { scope_.cancel(); });
  const ScanReport report = run("10.0.0.0/16");
  EXPECT_FALSE(report.whole);
  EXPECT_LT(network_.asked.size(), 10'000u);
}

}  // namespace

}  // namespace ichor
