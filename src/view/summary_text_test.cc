#include "view/summary_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;

TEST(TableLines, AlignColumnsAndLeaveMissingCellsEmpty) {
  Listing listing;
  listing.columns = {{"node", "NODE"}, {"macs", "MACS"}, {"ready", "READY"}};
  listing.rows = {{{"node", "cp1"}, {"macs", {"52:54:00:aa:bb:01", "52:54:00:aa:bb:02"}}},
                  {{"node", "worker-11"}, {"ready", true}, {"not shown", 1}}};
  EXPECT_THAT(table_lines(listing),
              ElementsAre("NODE       MACS                                 READY",
                          "cp1        52:54:00:aa:bb:01,52:54:00:aa:bb:02",
                          "worker-11                                       true"));
}

TEST(TableLines, ShowMoreColumnsOnlyToWhoAsksForThem) {
  Listing listing;
  listing.columns = {{"node", "NODE"}, {"uuid", "UUID", true}, {"ready", "READY"}};
  listing.rows = {{{"node", "cp1"}, {"uuid", "4c4c"}, {"ready", true}}};
  EXPECT_THAT(table_lines(listing), ElementsAre("NODE  READY", "cp1   true"));
  EXPECT_THAT(table_lines(listing, true), ElementsAre("NODE  UUID  READY", "cp1   4c4c  true"));
}

TEST(FindingLines, SayWhatWhereAndHowToFixIt) {
  Finding finding{
      Severity::error, "C1", NodeName("cp1"), "ichor.yaml:12:5", "192.168.30.1 is not in node_cidr",
      "correct ip"};
  EXPECT_THAT(finding_lines(finding),
              ElementsAre("error C1 ichor.yaml:12:5 (cp1): 192.168.30.1 is not in node_cidr",
                          "    fix: correct ip"));
}

TEST(SummaryLines, EndARunWithItsVerdictAndWhatToDoNext) {
  ClusterProfile profile;
  profile.name = "infra";
  profile.nodes.resize(2);
  profile.nodes[0].name = NodeName("cp1");
  profile.nodes[0].role = Role::control_plane;
  profile.nodes[0].address = IpAddress("192.168.22.101");
  profile.nodes[1].name = NodeName("w1");
  profile.nodes[1].address = IpAddress("192.168.22.111");
  Summary summary;
  summary.result.exit = Exit::failed;
  summary.result.verdict = "w1: the reply said \x1b[2Jnothing";
  summary.result.mutations = 1;
  summary.result.elapsed = std::chrono::seconds(65);
  summary.result.nodes = {
      {NodeName("cp1"), StepEnd::passed, "verify", Stage::running, 0, ""},
      {NodeName("w1"), StepEnd::out_of_time, "apply", Stage::maintenance, 5, "no answer"}};
  summary.written = {{"kubeconfig", "kubernetes/kubeconfig"}};
  summary.next = {"ichor up"};
  EXPECT_THAT(
      summary_lines(summary, &profile),
      ElementsAre(
          "NODE  ROLE          ADDRESS         STAGE        RESULT       RETRIES  REASON",
          "cp1   controlplane  192.168.22.101  running      passed       0",
          "w1    worker        192.168.22.111  maintenance  out of time  5        no answer",
          "w1: the reply said nothing (2 nodes, 1 change, 1m05s)",
          "  kubeconfig   kubernetes/kubeconfig", "  next: ichor up"));
}

TEST(SummaryLines, AreFewerWhereQuietIsWanted) {
  Summary summary;
  summary.result.verdict = "wrote 101 files";
  summary.written = {{"cp1", "clusterconfig/cp1.yaml"}};
  EXPECT_EQ(summary_lines(summary, nullptr).size(), 2u);
  EXPECT_THAT(summary_lines(summary, nullptr, Detail::quiet), ElementsAre("wrote 101 files"));
}

TEST(SummaryLines, NameTheRowsThatTheDoctorExplains) {
  Summary summary;
  summary.result.exit = Exit::unsafe;
  summary.result.verdict = "two etcd clusters";
  summary.result.findings = {{Severity::error, "E4", {}, "etcd", "two etcd clusters", ""},
                             {Severity::error, "E4", {}, "etcd", "once more", ""},
                             {Severity::warning, "network.overlap", {}, "", "a lint rule", ""},
                             {Severity::error, "N15", {}, "apply", "no reply", ""}};
  EXPECT_EQ(summary_lines(summary, nullptr).back(), "  see ichor doctor E4, ichor doctor N15");
}

}  // namespace
}  // namespace ichor
