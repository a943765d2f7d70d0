#include "view/report_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
      report_lines("infra", journal.records_),
      ElementsAre(
          "# Report of infra", "", "## Run 1, 2026-01-31 12:00:01Z", "",
          "did not end: it was killed, or it still runs. It took 4s and intended 2 changes.", "",
          "        +1s  cp1  machine bound: uuid=4c4c;serial=;macs=52:54:00:aa:bb:01;boot=;pin=",
          "        +2s  cp1  ApplyConfiguration: done after 1s",
          "        +4s  cp1  Bootstrap: unknown, the run ended before the answer", "",
          "## Run 2, 2026-01-31 12:00:06Z", "",
          "exit 0: infra is ready. It took 3s and intended 1 changes.", "",
          "        +1s  cp1  Bootstrap: refused after 1s (Bootstrap: AlreadyExists: no)"));
}

TEST(ReportLines, NameTheObjectsThatWereSentToTheCluster) {
  Journaling journal;
  journal.in("one").intend("", Call::kube_apply);
  journal.records_.back().key = "Namespace/flux-system";
  journal.answer("", Call::kube_apply, OutcomeKind::done);
  EXPECT_THAT(report_lines("infra", journal.records_),
              Contains(HasSubstr("server-side apply of Namespace/flux-system: done after 1s")));
}

TEST(ReportLines, SayThatNothingWasDone) {
  EXPECT_THAT(report_lines("infra", {}),
              ElementsAre("# Report of infra", "\nNothing has been done yet."));
}

}  // namespace
}  // namespace ichor
