#include "journal/record_row.h"

#include <gtest/gtest.h>

#include "journal/test_kit.h"

namespace ichor {

namespace {

/// A table of rows as a journal has it, without its rules.
class RecordRow : public ::testing::Test {
 protected:
  RecordRow() {
    overwrite(folder_.path() + "/db", "");
    auto opened = Db::open(folder_.path() + "/db", "");
    check(opened.has_value(), "a database can be made");
    db_ = *std::move(opened);
    const auto made = db_->run(
        "CREATE TABLE record (seq, kind, run, node, call, ref, outcome, key, value, wall_ms,"
        " chain)");
    check(made.has_value(), "it has a table");
  }

  /// What is read of the row into which `record` was written.
  std::optional<StoredRecord> through_the_table(const JournalRecord& record) {
    check(db_->run("DELETE FROM record").has_value(), "rows can be removed");
    Statement insert(*db_, kInsertRecord);
    bind_record(insert, record, 0xffffffff);
    check(insert.step().has_value(), "it takes rows");
    return the_row();
  }
  std::optional<StoredRecord> the_row() {
    Statement select(*db_, kSelectRecords);
    check(select.step().value_or(false), "there is a row");
    return decode_record(select);
  }
  void expect_to_come_back(const JournalRecord& record) {
    const auto stored = through_the_table(record);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->record, record);
    EXPECT_EQ(stored->chain, 0xffffffff);
  }

  TempFolder folder_;
  std::unique_ptr<Db> db_;
};

TEST_F(RecordRow, every_kind_comes_back) {
  for (int kind = 1; kind <= static_cast<int>(RecordKind::contract_fixed); ++kind) {
    SCOPED_TRACE(kind);
    JournalRecord record = intent_of(1);
    record.kind = static_cast<RecordKind>(kind);
    expect_to_come_back(record);
  }
}

TEST_F(RecordRow, every_call_comes_back) {
  for (int call = 0; call < kCallCount; ++call) {
    SCOPED_TRACE(call);
    JournalRecord record = intent_of(1);
    record.call = static_cast<Call>(call);
    expect_to_come_back(record);
  }
}

TEST_F(RecordRow, every_outcome_comes_back) {
  for (const auto outcome : {OutcomeKind::done, OutcomeKind::refused, OutcomeKind::unknown}) {
    JournalRecord record = intent_of(1);
    record.outcome = outcome;
    expect_to_come_back(record);
  }
}

TEST_F(RecordRow, a_number_that_only_ends_like_a_kind_is_none) {
  ASSERT_TRUE(through_the_table(intent_of(1)));
  ASSERT_TRUE(db_->run("UPDATE record SET kind = kind + (1 << 40)"));
  EXPECT_FALSE(the_row());
  ASSERT_TRUE(db_->run("UPDATE record SET kind = 0"));
  EXPECT_FALSE(the_row());
}

}  // namespace

}  // namespace ichor
