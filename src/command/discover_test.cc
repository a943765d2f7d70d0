#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>

#include "async/at_once.h"
#include "cli/command_line.h"
#include "command/commands.h"
#include "journal/memory_journal.h"
#include "model/journal_facts.h"
#include "port/test_host.h"

namespace ichor {

namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

/// The reference profile, whose machines have booted at addresses that the profile does not name.
class DiscoverCommandTest : public testing::Test {
 protected:
  DiscoverCommandTest() {
    std::ifstream file("examples/reference/ichor.yaml");
    host_.inputs["ichor.yaml"] = {std::istreambuf_iterator<char>(file), {}};
    for (int i = 1; i <= 3; ++i) {
      machines()[fmt::format("192.168.20.{}", 30 + i)] = fmt::format("52:54:00:16:01:0{}", i);
      machines()[fmt::format("192.168.21.{}", 200 + i)] = fmt::format("52:54:00:16:01:1{}", i);
    }
  }

  std::map<std::string, std::string>& machines() { return host_.machines.macs; }
  int type(std::vector<std::string> words) {
    host_.display().summaries.clear();
    host_.display().listings.clear();
    const CommandLine line = parse_command_line(words);
    return static_cast<int>(run_command(std::get<Invocation>(line), host_));
  }
  int scan(std::vector<std::string> flags = {}) {
    std::vector<std::string> words = {"discover", "--scan", "192.168.20.0/22"};
    words.insert(words.end(), flags.begin(), flags.end());
    return type(std::move(words));
  }
  const RunResult& result() { return host_.display().summary().result; }
  long bound_count() {
    const auto& records = host_.store().records();
    return std::count_if(records.begin(), records.end(), [](const JournalRecord& record) {
      return record.kind == RecordKind::identity_bound;
    });
  }

  /// As the journal has it of a node that was seen to run.
  void settle(const char* node) {
    MemoryJournal journal(host_.store());
    ASSERT_TRUE(at_once(journal.lock({}, {"00000000000000ab", "desk", "boot", 1})));
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.node = NodeName(node);
    record.key = kSettledKey;
    auto append = journal.append(Context{&host_.clock(), &scope_}, std::move(record));
    append.start();
    while (!append.done() && host_.virtual_clock().step()) {
    }
    journal.unlock();
  }

  FakeHost host_;
  CancelScope scope_;
};

TEST_F(DiscoverCommandTest, AScanFindsEveryNodeByItsMac) {
  EXPECT_EQ(scan(), 0) << result().verdict;
  EXPECT_THAT(host_.machines.probed, SizeIs(1022));
  EXPECT_THAT(host_.display().rows("machine", {"address", "kind", "node", "proof"}),
              AllOf(SizeIs(6), Contains("192.168.20.31 maintenance cp1 MAC 52:54:00:16:01:01"),
                    Contains("192.168.21.203 maintenance w3 MAC 52:54:00:16:01:13")));
  EXPECT_THAT(host_.display().rows("node", {"node", "address"}), Contains("w3 192.168.21.203"));
  EXPECT_EQ(bound_count(), 6);
  EXPECT_EQ(host_.machines.mutations, 0);
}

TEST_F(DiscoverCommandTest, WithoutTheFlagTheNetworkOfTheProfileIsScannedForWhoIsNotAtHome) {
  EXPECT_EQ(type({"discover"}), 0) << result().verdict;
  EXPECT_EQ(bound_count(), 6);
}

TEST_F(DiscoverCommandTest, DiscoverDoesNotScanForMachinesAtTheirAddresses) {
  machines().clear();
  for (int i = 1; i <= 3; ++i) {
    machines()[fmt::format("192.168.22.10{}", i)] = fmt::format("52:54:00:16:01:0{}", i);
    machines()[fmt::format("192.168.22.11{}", i)] = fmt::format("52:54:00:16:01:1{}", i);
  }
  EXPECT_EQ(type({"discover"}), 0) << result().verdict;
  EXPECT_THAT(host_.machines.probed, SizeIs(6));
}

TEST_F(DiscoverCommandTest, OthersAreListedAndLeftAlone) {
  host_.machines.others = {{"192.168.20.9", PeerKind::foreign}, {"192.168.20.10", PeerKind::other}};
  EXPECT_EQ(scan(), 0) << result().verdict;
  EXPECT_THAT(host_.display().rows("machine", {"address", "kind", "node"}),
              AllOf(Contains("192.168.20.9 foreign "), Contains("192.168.20.10 other ")));
}

TEST_F(DiscoverCommandTest, AMachineThatIsMissingEndsWithTheMatrix) {
  machines().erase("192.168.21.203");
  machines()["192.168.21.204"] = "52:54:00:99:99:99";
  EXPECT_EQ(scan(), 1);
  EXPECT_THAT(result().verdict, HasSubstr("no machine fits w3"));
  EXPECT_THAT(host_.display().rows("match", {"node", "address", "why"}),
              AllOf(SizeIs(6), Contains(HasSubstr("w3 192.168.21.204 the profile says MAC"))));
  EXPECT_EQ(bound_count(), 0);
}

TEST_F(DiscoverCommandTest, TwoMachinesThatFitOneNodeAreNamedAndNothingIsBound) {
  machines()["192.168.21.204"] = "52:54:00:16:01:13";
  host_.machines.keys["192.168.21.204"] = "another key";
  EXPECT_EQ(scan(), 5);
  EXPECT_THAT(result().verdict, HasSubstr("not certain which machine is w3"));
  EXPECT_THAT(result().findings,
              Contains(testing::Field(&Finding::what, AllOf(HasSubstr("192.168.21.203"),
                                                            HasSubstr("192.168.21.204")))));
  EXPECT_EQ(bound_count(), 0);
}

TEST_F(DiscoverCommandTest, PlanAndUpAndPreflightAndStatusUseTheSameMatch) {
  EXPECT_EQ(type({"plan"}), 0) << result().verdict;
  EXPECT_THAT(host_.display().rows("node", {"node", "address"}), Contains("cp1 192.168.20.31"));
  EXPECT_EQ(type({"status"}), 0) << result().verdict;
  EXPECT_THAT(host_.display().rows("node", {"node", "address"}), Contains("cp1 192.168.20.31"));

  machines()["192.168.21.204"] = "52:54:00:16:01:13";
  host_.machines.keys["192.168.21.204"] = "another key";
  for (const char* command : {"plan", "up", "apply", "preflight", "status"}) {
    EXPECT_EQ(type({command}), 5) << command << ": " << result().verdict;
    EXPECT_THAT(result().verdict, HasSubstr("not certain which machine is w3"));
  }
  EXPECT_EQ(host_.machines.mutations, 0);
}

TEST_F(DiscoverCommandTest, AnInstalledNodeThatIsBackInMaintenanceModeIsAnAlarm) {
  EXPECT_EQ(scan(), 0) << result().verdict;
  settle("cp1");
  const auto names_it = Contains(AllOf(testing::Field(&Finding::id, "T2"),
                                       testing::Field(&Finding::node, NodeName("cp1")),
                                       testing::Field(&Finding::severity, Severity::error)));
  for (const char* command : {"discover", "plan", "apply", "up"}) {
    EXPECT_EQ(type({command}), 5) << command << ": " << result().verdict;
    EXPECT_THAT(result().findings, names_it) << command;
  }
  EXPECT_EQ(scan(), 5) << result().verdict;
  EXPECT_THAT(result().findings, names_it);
  EXPECT_EQ(type({"preflight"}), 3);
  EXPECT_THAT(result().findings, names_it);
  EXPECT_EQ(type({"status"}), 0);
  EXPECT_THAT(result().findings, names_it);
  EXPECT_THAT(result().verdict, HasSubstr("cp1 is back in maintenance mode at 192.168.20.31"));
  for (const JournalRecord& record : host_.store().records()) {
    EXPECT_FALSE(record.kind == RecordKind::intent && record.node.value() == "cp1");
  }
}

TEST_F(DiscoverCommandTest, TwinsAreNamedAlsoWhereEveryNodeHasItsMachine) {
  host_.machines.uuids = {{"192.168.20.31", "template"}, {"192.168.21.201", "template"}};
  const auto names_them = Contains(AllOf(
      testing::Field(&Finding::id, "D8"), testing::Field(&Finding::severity, Severity::warning),
      testing::Field(&Finding::what, HasSubstr("share UUID template"))));
  EXPECT_EQ(scan(), 0) << result().verdict;
  EXPECT_THAT(result().findings, names_them);
  for (const char* command : {"discover", "plan", "status"}) {
    EXPECT_EQ(type({command}), 0) << command << ": " << result().verdict;
    EXPECT_THAT(result().findings, names_them) << command;
  }
}

TEST_F(DiscoverCommandTest, AProxmoxThatCannotBeAskedIsAWarning) {
  for (const char* name : {"ichor.yaml", "schematic.yaml"}) {
    std::ifstream file(std::string("examples/proxmox/") + name);
    host_.inputs[name] = {std::istreambuf_iterator<char>(file), {}};
  }
  for (const char* command : {"plan", "status"}) {
    EXPECT_EQ(type({command}), 0) << result().verdict;
    EXPECT_THAT(result().findings,
                Contains(AllOf(testing::Field(&Finding::id, "P7"),
                               testing::Field(&Finding::severity, Severity::warning),
                               testing::Field(&Finding::what, HasSubstr("MACs of VMs are")))))
        << command;
  }
}

TEST_F(DiscoverCommandTest, ByOrderOnlyIfItIsAskedFor) {
  std::string& profile = host_.inputs["ichor.yaml"];
  profile = std::regex_replace(profile, std::regex(" mac: \"[0-9a-f:]*\",?"), "");
  EXPECT_EQ(scan(), 1);
  EXPECT_EQ(bound_count(), 0);
  EXPECT_EQ(scan({"--match-by-order"}), 0) << result().verdict;
  EXPECT_EQ(bound_count(), 6);
  EXPECT_THAT(host_.display().rows("node", {"node", "address"}),
              AllOf(Contains("cp1 192.168.20.31"), Contains("w1 192.168.21.201")));
}

TEST_F(DiscoverCommandTest, WatchWaitsForWhoIsStillBooting) {
  const std::string late = machines().extract("192.168.21.203").mapped();
  host_.virtual_clock().call_at(host_.virtual_clock().now() + std::chrono::seconds(40),
                                [&] { machines()["192.168.21.203"] = late; });
  EXPECT_EQ(scan({"--watch"}), 0) << result().verdict;
  EXPECT_EQ(bound_count(), 6);
}

TEST_F(DiscoverCommandTest, WatchEndsWithItsBudget) {
  machines().erase("192.168.21.203");
  EXPECT_EQ(scan({"--watch"}), 1);
  EXPECT_THAT(result().verdict, HasSubstr("no machine fits w3"));
}

TEST_F(DiscoverCommandTest, WatchWithoutScanSearchesTheNetworkOfTheProfileUntilAllAreThere) {
  const std::string late = machines().extract("192.168.21.203").mapped();
  host_.virtual_clock().call_at(host_.virtual_clock().now() + std::chrono::seconds(40),
                                [&] { machines()["192.168.21.203"] = late; });
  EXPECT_EQ(type({"discover", "--watch"}), 0) << result().verdict;
  EXPECT_THAT(host_.display().rows("machine", {"node", "address"}), Contains("w3 192.168.21.203"));
  EXPECT_EQ(bound_count(), 6);
}

TEST_F(DiscoverCommandTest, AScanThatIsUnderWayEndsWithTheBudget) {
  machines().erase("192.168.21.203");
  const MonoTime begin = host_.virtual_clock().now();
  EXPECT_EQ(scan({"--watch", "--scan-rate", "1"}), 1);
  EXPECT_THAT(result().verdict, HasSubstr("no machine fits"));
  EXPECT_LE(host_.virtual_clock().now() - begin, Budgets{}.discover + std::chrono::minutes(1));
}

TEST_F(DiscoverCommandTest, TheRateIsThatOfTheFlag) {
  const MonoTime begin = host_.virtual_clock().now();
  EXPECT_EQ(scan({"--scan-rate", "100"}), 0) << result().verdict;
  EXPECT_GE(host_.virtual_clock().now() - begin, std::chrono::seconds(10));
}

TEST_F(DiscoverCommandTest, ACountIsForASearchWithoutAProfile) {
  EXPECT_EQ(scan({"--watch", "--count", "3"}), 64);
  EXPECT_THAT(result().verdict, HasSubstr("its 6 nodes"));
  host_.inputs.erase("ichor.yaml");
  EXPECT_EQ(scan({"--watch", "--count", "3"}), 0) << result().verdict;
}

TEST_F(DiscoverCommandTest, WithoutAProfileTheMachinesAreAProfile) {
  host_.inputs.erase("ichor.yaml");
  EXPECT_EQ(scan({"--write", "new.yaml"}), 0) << result().verdict;
  EXPECT_THAT(result().verdict, HasSubstr("6 in maintenance mode"));
  const std::string written = host_.exported["new.yaml"];
  EXPECT_THAT(written, AllOf(HasSubstr("CHANGE-ME-1"), HasSubstr("52:54:00:16:01:13"),
                             HasSubstr("ip: 192.168.20.31"), HasSubstr("disk: /dev/sda")));
  EXPECT_FALSE(host_.state_made);

  host_.inputs["new.yaml"] = written;
  EXPECT_EQ(type({"lint", "-p", "new.yaml"}), 3);
  for (const Finding& finding : result().findings) {
    if (finding.severity == Severity::error) {
      EXPECT_THAT(finding.what, HasSubstr("CHANGE-ME"));
    }
  }
  host_.inputs["new.yaml"] = std::regex_replace(written, std::regex("CHANGE-ME-"), "node-");
  EXPECT_EQ(type({"lint", "-p", "new.yaml"}), 0);
}

TEST_F(DiscoverCommandTest, AFileThatIsThereIsNotWrittenOver) {
  host_.inputs.erase("ichor.yaml");
  host_.exported["new.yaml"] = "mine";
  EXPECT_EQ(scan({"--write", "new.yaml"}), 1);
  EXPECT_EQ(host_.exported["new.yaml"], "mine");
}

TEST_F(DiscoverCommandTest, WhatCannotBeScannedIsAMistakeOfTheCommandLine) {
  const auto misuse = [](std::vector<std::string> words) {
    const CommandLine line = parse_command_line(words);
    const Misuse* wrong = std::get_if<Misuse>(&line);
    return wrong ? wrong->message : "";
  };
  EXPECT_THAT(misuse({"discover", "--scan", "10.0.0.0/8"}), HasSubstr("at most a /16"));
  EXPECT_THAT(misuse({"discover", "--write", "x.yaml"}), HasSubstr("--scan"));
  EXPECT_THAT(misuse({"discover", "--scan", "10.0.0.1", "--count", "3"}), HasSubstr("--watch"));
}

}  // namespace

}  // namespace ichor
