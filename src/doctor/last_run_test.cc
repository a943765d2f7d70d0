#include "doctor/last_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/finding_record.h"

namespace ichor {
namespace {

/// A journal as runs leave it.
class LastRunTest : public ::testing::Test {
 protected:
  JournalRecord& add(RecordKind kind, const std::string& node = {}) {
    JournalRecord& record = records_.emplace_back();
    record.seq = records_.size();
    record.kind = kind;
    record.run = RunId("run-" + std::to_string(run_));
    record.node = NodeName(node);
    return record;
  }
  void begin() {
    ++run_;
    add(RecordKind::run_started);
  }
  std::uint64_t intend(Call call, const std::string& node) {
    JournalRecord& record = add(RecordKind::intent, node);
    record.call = call;
    return record.seq;
  }
  void answer(std::uint64_t intent, OutcomeKind outcome, const std::string& text = {}) {
    const JournalRecord intended = records_[intent - 1];
    JournalRecord& record = add(RecordKind::outcome, intended.node.value());
    record.call = intended.call;
    record.ref = intent;
    record.outcome = outcome;
    record.value = text;
  }
  void end(int exit, const std::string& verdict) {
    JournalRecord& record = add(RecordKind::run_ended);
    record.key = std::to_string(exit);
    record.value = verdict;
  }

  std::vector<JournalRecord> records_;
  int run_{0};
};

TEST_F(LastRunTest, IsNothingInAnEmptyJournal) { EXPECT_FALSE(last_run(records_)); }

TEST_F(LastRunTest, CountsARunThatMadeItsMachinesFirstAsOne) {
  begin();
  add(RecordKind::run_started);
  end(0, "ready");
  EXPECT_EQ(last_run(records_)->number, 1);
}

TEST_F(LastRunTest, TellsVerdictAndFindingsOfTheLastRunOnly) {
  begin();
  end(4, "out of time");
  begin();
  JournalRecord kept =
      finding_record({Severity::error, "E4", NodeName("cp1"), "etcd", "two etcd clusters", ""});
  kept.run = RunId("run-2");
  records_.push_back(kept);
  end(5, "two etcd clusters");
  const auto last = last_run(records_);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->number, 2);
  EXPECT_EQ(last->exit, 5);
  EXPECT_EQ(last->verdict, "two etcd clusters");
  ASSERT_EQ(last->findings.size(), 1u);
  EXPECT_EQ(last->findings[0].id, "E4");
  EXPECT_EQ(last->findings[0].node, NodeName("cp1"));
  EXPECT_FALSE(last->findings[0].fix.empty());
}

TEST_F(LastRunTest, WhatWasAWarningIsNoErrorAfterwards) {
  begin();
  const auto tell = [this](Severity severity) {
    JournalRecord kept =
        finding_record({severity, "T7", NodeName("cp1"), "preflight", "clock not in sync", ""});
    kept.run = RunId("run-" + std::to_string(run_));
    records_.push_back(kept);
  };
  tell(Severity::warning);
  end(0, "infra is ready");
  auto last = last_run(records_);
  ASSERT_EQ(last->findings.size(), 1u);
  EXPECT_EQ(last->findings[0].severity, Severity::note) << "it is over";
  EXPECT_TRUE(last->findings[0].fix.empty());
  begin();
  tell(Severity::warning);
  end(4, "out of time");
  last = last_run(records_);
  EXPECT_EQ(last->findings[0].severity, Severity::warning);
}

TEST_F(LastRunTest, ReadsFindingsOfTheFirstBuilds) {
  begin();
  JournalRecord& kept = add(RecordKind::observed, "cp1");
  kept.key = "finding E4";
  kept.value = "two etcd clusters";
  end(5, "two etcd clusters");
  const auto last = last_run(records_);
  ASSERT_EQ(last->findings.size(), 1u);
  EXPECT_EQ(last->findings[0].id, "E4");
  EXPECT_EQ(last->findings[0].severity, Severity::error);
}

TEST_F(LastRunTest, ExplainsAVerdictThatCameWithoutFindings) {
  begin();
  end(1, "bootstrap: Bootstrap: FailedPrecondition: time is not in sync yet");
  const auto last = last_run(records_);
  ASSERT_EQ(last->findings.size(), 1u);
  EXPECT_EQ(last->findings[0].id, "T7");
}

TEST_F(LastRunTest, NamesWhatWasSentAndNotAnswered) {
  begin();
  answer(intend(Call::apply_configuration, "cp1"), OutcomeKind::done);
  answer(intend(Call::apply_configuration, "cp2"), OutcomeKind::unknown, "EOF");
  intend(Call::bootstrap, "cp1");
  const auto last = last_run(records_);
  EXPECT_FALSE(last->exit);
  ASSERT_EQ(last->changes.size(), 2u);
  EXPECT_EQ(last->changes[0].call, Call::bootstrap);
  EXPECT_FALSE(last->changes[0].outcome);
  EXPECT_EQ(last->changes[1].outcome, OutcomeKind::unknown);
  ASSERT_EQ(last->findings.size(), 2u);
  EXPECT_EQ(last->findings[0].id, "L1");
  EXPECT_EQ(last->findings[1].id, "N3");
}

}  // namespace
}  // namespace ichor
