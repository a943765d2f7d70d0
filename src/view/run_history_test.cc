#include "view/run_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/finding_record.h"
#include "model/run_record.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A journal of runs, one second per record.
class RunHistory : public ::testing::Test {
 protected:
  JournalRecord& add(const std::string& run, RecordKind kind, std::string key = {},
                     std::string value = {}, std::string node = {}) {
    JournalRecord record;
    record.kind = kind;
    record.key = std::move(key);
    record.value = std::move(value);
    record.node = NodeName(std::move(node));
    return add(run, std::move(record));
  }
  JournalRecord& add(const std::string& run, JournalRecord record) {
    record.seq = records_.size() + 1;
    record.run = RunId(run);
    record.wall_ms = 1'769'860'800'000 + 1000 * static_cast<std::int64_t>(record.seq);
    return records_.emplace_back(std::move(record));
  }
  void add_run(const std::string& run, const std::string& versions, std::int64_t verify_ms) {
    add(run, RecordKind::run_started, "infra", "00112233445566778899aabb");
    add(run, RecordKind::observed, std::string(kCommandKey), "up");
    add(run, RecordKind::observed, std::string(kVersionsKey), versions);
    add(run, RecordKind::intent, {}, "c0ffeec0ffeec0ffee", "cp1").call = Call::apply_configuration;
    add(run,
        step_record(NodeName("cp1"), {"verify", "done", std::chrono::milliseconds(verify_ms), 0}));
    add(run, RecordKind::run_ended, "0", "infra is ready");
  }

  std::vector<std::string> differences() {
    std::vector<std::string> texts;
    for (const RunDifference& one : run_differences(runs_of(records_), 0, 1)) {
      texts.push_back(one.what + ": " + one.before + " / " + one.after);
    }
    return texts;
  }

  std::vector<JournalRecord> records_;
};

TEST_F(RunHistory, ARunIsALine) {
  add_run("aaaa1111", "Talos v1.12.6", 1500);
  add("bbbb2222", RecordKind::run_started);
  const std::vector<RunEntry> entries = run_entries(runs_of(records_));
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].id, "aaaa1111");
  EXPECT_EQ(entries[0].command, "up");
  EXPECT_EQ(entries[0].exit, 0);
  EXPECT_EQ(entries[0].took_ms, 5000);
  EXPECT_EQ(entries[0].mutations, 1);
  EXPECT_FALSE(entries[1].exit) << "it was killed, or it still runs";
  EXPECT_EQ(entries[1].command, "") << "a journal of an older ichor";
}

TEST_F(RunHistory, ARunIsNamedByItsNumberOrTheBeginningOfItsId) {
  for (const char* id : {"aaaa1111", "aabb2222", "12345678"}) add(id, RecordKind::run_started);
  const std::vector<JournalRun> runs = runs_of(records_);
  EXPECT_EQ(find_run(runs, "2"), 1u);
  EXPECT_EQ(find_run(runs, "aaa"), 0u);
  EXPECT_EQ(find_run(runs, "aabb2222"), 1u);
  EXPECT_EQ(find_run(runs, "aa"), std::nullopt) << "two begin so";
  EXPECT_EQ(find_run(runs, "4"), std::nullopt);
  EXPECT_EQ(find_run(runs, "123"), 2u) << "no run has this number";
  EXPECT_EQ(find_run(runs, ""), std::nullopt);
}

TEST_F(RunHistory, EqualRunsDifferInNothing) {
  add_run("one", "Talos v1.12.6", 1500);
  add_run("two", "Talos v1.12.6", 2300);
  EXPECT_THAT(differences(), IsEmpty()) << "a step that is 800 ms longer is no difference";
}

TEST_F(RunHistory, TellsVersionsConfigsStepsAndFaults) {
  add_run("one", "Talos v1.12.6", 1500);
  add_run("two", "Talos v1.13.9", 9000);
  records_[9].value = "decafdecafdecaf";  // the config
  JournalRecord fault =
      finding_record({Severity::warning, "T2", NodeName("cp1"), "key", "another", ""});
  fault.run = RunId("two");
  fault.wall_ms = records_.back().wall_ms;
  records_.push_back(fault);
  EXPECT_THAT(differences(), ElementsAre("config of cp1: c0ffeec0ffee / decafdecafde",
                                         "versions: Talos v1.12.6 / Talos v1.13.9",
                                         "step verify of cp1: done in 1.5s / done in 9s",
                                         "fault T2 of cp1:  / another"));
}

TEST_F(RunHistory, WhatAnEarlierRunFixedHoldsForALaterOne) {
  add("one", RecordKind::run_started);
  add("one", RecordKind::secrets_fixed, {}, "5ec7e7");
  add("one", RecordKind::run_ended, "1", "w1 failed");
  add("two", RecordKind::run_started);
  add("two", RecordKind::observed, "settled", {}, "w1");
  add("two", RecordKind::run_ended, "0", "infra is ready");
  EXPECT_THAT(differences(), ElementsAre("exit: 1 / 0", "verdict: w1 failed / infra is ready"));
}

TEST(StepFact, IsReadBackAsItWasWritten) {
  const StepFact fact{"apply", "out-of-time", std::chrono::milliseconds(61250), 3};
  const StepFact back = step_in(step_record(NodeName("w1"), fact));
  EXPECT_EQ(back.step, "apply");
  EXPECT_EQ(back.end, "out-of-time");
  EXPECT_EQ(back.took, fact.took);
  EXPECT_EQ(back.retries, 3);
  JournalRecord strange;
  strange.key = "step apply";
  strange.value = "x";
  EXPECT_EQ(step_in(strange).end, "") << "of a journal that another program has written";
}

}  // namespace
}  // namespace ichor
