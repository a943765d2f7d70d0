#include "view/report_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/run_record.h"

namespace ichor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A journal that is written one second per record.
class Journaling {
 public:
  Journaling& in(std::string run) {
    run_ = std::move(run);
    return *this;
  }
  Journaling& add(RecordKind kind, std::string node, std::string key = {}, std::string value = {}) {
    JournalRecord& record = records_.emplace_back();
    record.seq = records_.size();
    record.kind = kind;
    record.run = RunId(run_);
    record.node = NodeName(std::move(node));
    record.key = std::move(key);
    record.value = std::move(value);
    record.wall_ms = 1'769'860'800'000 + 1000 * static_cast<std::int64_t>(records_.size());
    return *this;
  }
  Journaling& intend(std::string node, Call call) {
    add(RecordKind::intent, std::move(node));
    records_.back().call = call;
    return *this;
  }
  Journaling& answer(std::string node, Call call, OutcomeKind outcome, std::string error = {}) {
    const std::uint64_t ref = records_.back().seq;
    add(RecordKind::outcome, std::move(node), {}, std::move(error));
    records_.back().call = call;
    records_.back().ref = ref;
    records_.back().outcome = outcome;
    return *this;
  }
  std::vector<JournalRecord> records_;

 private:
  std::string run_;
};

TEST(ReportLines, TellEveryRunWithWhatWasSentAndWhatCameOfIt) {
  Journaling journal;
  journal.in("one")
      .add(RecordKind::run_started, "")
      .add(RecordKind::identity_bound, "cp1", "",
           "uuid=4c4c;serial=;macs=52:54:00:aa:bb:01;boot=;pin=")
      .intend("cp1", Call::apply_configuration)
      .answer("cp1", Call::apply_configuration, OutcomeKind::done)
      .intend("cp1", Call::bootstrap);
  journal.in("two")
      .add(RecordKind::run_started, "")
      .intend("cp1", Call::bootstrap)
      .answer("cp1", Call::bootstrap, OutcomeKind::refused, "Bootstrap: AlreadyExists: \x1b[2Jno")
      .add(RecordKind::run_ended, "", "0", "infra is ready");
  EXPECT_THAT(
      report_lines({"infra", journal.records_, "", "out/kubeconfig"}),
      ElementsAre(
          "# Report of infra", "", "## Run 1, 2026-01-31 12:00:01Z", "",
          "did not end: it was killed, or it still runs. It took 4s and intended 2 changes.", "",
          "| | |", "|---|---|", "| Run | one |", "| Started | 2026-01-31 12:00:01Z |",
          "| Ended | - |", "| Kubeconfig | out/kubeconfig |",
          "| etcd members | not in this run's records |", "| Plan |  |", "", "### Timeline", "",
          "        +1s  cp1  machine bound: uuid=4c4c;serial=;macs=52:54:00:aa:bb:01;boot=;pin=",
          "        +2s  cp1  ApplyConfiguration: done after 1s",
          "        +4s  cp1  Bootstrap: unknown, the run ended before the answer", "",
          "## Run 2, 2026-01-31 12:00:06Z", "",
          "exit 0: infra is ready. It took 3s and intended 1 change.", "", "| | |", "|---|---|",
          "| Run | two |", "| Started | 2026-01-31 12:00:06Z |", "| Ended | 2026-01-31 12:00:09Z |",
          "| Kubeconfig | out/kubeconfig |", "| etcd members | not in this run's records |",
          "| Plan |  |", "", "### Timeline", "",
          "        +1s  cp1  Bootstrap: refused after 1s (Bootstrap: AlreadyExists: no)"));
}

/// The evidence that a pull request needs.
class Evidence : public ::testing::Test {
 protected:
  Evidence() {
    journal_.in("one")
        .add(RecordKind::run_started, "", "infra", "00112233445566778899")
        .add(RecordKind::observed, "", "command", "up")
        .add(RecordKind::observed, "", "versions", "Talos v1.12.6, Kubernetes v1.35.2")
        .add(RecordKind::bootstrap_target, "cp1", "", "uuid=4c4c")
        .add(RecordKind::observed, "", "verdict bootstrap",
             "due: no control plane has etcd data (cp1: no etcd data, service Preparing; cp2: no "
             "etcd data, service Preparing)")
        .add(RecordKind::observed, "", "verdict edits", "skipped: nothing differs")
        .add(RecordKind::observed, "cp2", "finding warning T2", "another key | <b>")
        .add(RecordKind::observed, "", "etcd members", "cp1, cp2 (learner)")
        .add(RecordKind::node_excluded, "w9");
    journal_.records_.push_back(
        step_record(NodeName("cp1"), {"verify", "done", std::chrono::milliseconds(61250), 3}));
    journal_.records_.back().run = RunId("one");
    journal_.records_.back().wall_ms = journal_.records_.front().wall_ms + 70'000;
    journal_.in("one").add(RecordKind::run_ended, "", "0", "infra is ready");
    journal_.in("two").add(RecordKind::run_started, "", "infra", "ff");
  }

  Journaling journal_;
};

TEST_F(Evidence, OfTheDetectorIsTheVerdictAndWhatEachControlPlaneShowed) {
  const auto lines = report_lines({"infra", journal_.records_});
  EXPECT_THAT(lines, Contains("Verdict: due: no control plane has etcd data. Target: cp1."));
  EXPECT_THAT(lines, Contains("- cp1: no etcd data, service Preparing"));
  EXPECT_THAT(lines, Contains("- cp2: no etcd data, service Preparing"));
}

TEST_F(Evidence, OfEtcdAreVotersAndLearners) {
  EXPECT_THAT(report_lines({"infra", journal_.records_}),
              Contains("| etcd members | voters: cp1; learners: cp2 |"));
}

TEST_F(Evidence, SaysWhatWasSkippedAndWhatWasFound) {
  const auto lines = report_lines({"infra", journal_.records_});
  EXPECT_THAT(lines, Contains("- edits: nothing differs"));
  EXPECT_THAT(lines, Contains("- w9: excluded by the operator"));
  EXPECT_THAT(lines, Contains("- warning T2 of cp2: another key \\| &lt;b>"))
      << "a text of a node is no markup";
}

TEST_F(Evidence, HasTheTimesOfSteps) {
  EXPECT_THAT(report_lines({"infra", journal_.records_}),
              Contains("| verify | cp1 | done | 1m01s | 3 | +1m10s |"));
}

TEST_F(Evidence, OfOneRunHasNoOther) {
  const auto lines = report_lines({"infra", journal_.records_, "two"});
  EXPECT_THAT(lines, Contains("## Run 2, 2026-01-31 12:00:12Z"));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("## Run 1"))));
}

TEST(ReportLines, NameTheObjectsThatWereSentToTheCluster) {
  Journaling journal;
  journal.in("one").intend("", Call::kube_apply);
  journal.records_.back().key = "Namespace/flux-system";
  journal.answer("", Call::kube_apply, OutcomeKind::done);
  EXPECT_THAT(report_lines({"infra", journal.records_}),
              Contains(HasSubstr("server-side apply of Namespace/flux-system: done after 1s")));
}

TEST(ReportLines, SayThatNothingWasDone) {
  EXPECT_THAT(report_lines({"infra", {}}),
              ElementsAre("# Report of infra", "\nNothing has been done yet."));
}

}  // namespace
}  // namespace ichor
