#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <gtest/gtest.h>

#include "journal/fault_calls.h"
#include "journal/schema.h"
#include "journal/test_story.h"

// Faults L5 and L6: what a damaged, shortened, deleted or copied journal is taken for.

namespace ichor {

namespace {

class JournalDamage : public ::testing::Test {
 protected:
  std::unique_ptr<SqliteStore> open() {
    auto store = SqliteStore::open(options_);
    check(store.has_value(), "the journal opens");
    return *std::move(store);
  }

  /// A life with `settled` records in the database and `logged` ones, a commit each, in its log.
  void live(int settled, int logged) {
    if (settled > 0) append(settled, "a");
    append(logged, "b");
    database_ = bytes_of(file("journal.db"));
    log_ = bytes_of(file("journal.db-wal"));
  }

  void append(int count, const char* nonce) {
    const auto store = open();
    ASSERT_TRUE(store->lock(owner_named(nonce)));
    for (int at = 0; at < count; ++at) {
      std::vector<JournalRecord> batch{intent_of(static_cast<int>(acknowledged_.size()) + 1)};
      ASSERT_TRUE(store->append(batch));
      acknowledged_.push_back(batch.front());
    }
  }

  /// What the next process finds: records, or why it found none.
  Result<std::vector<JournalRecord>> find() {
    auto store = SqliteStore::open(options_);
    if (!store) return forward_error(store);
    if (auto locked = (*store)->lock(owner_named("c")); !locked) {
      return forward_error(locked);
    }
    return (*store)->read();
  }

  /// As find(), with these bytes in the files.
  Result<std::vector<JournalRecord>> find_in(const std::string& database, const std::string& log) {
    overwrite(file("journal.db"), database);
    overwrite(file("journal.db-wal"), log);
    std::filesystem::remove(file("journal.db-shm"));
    return find();
  }

  /// How many acknowledged records at the end are missing, or -1 if something else is wrong.
  int missing(const std::vector<JournalRecord>& found) {
    if (found.size() > acknowledged_.size()) return -1;
    if (!std::equal(found.begin(), found.end(), acknowledged_.begin())) return -1;
    return static_cast<int>(acknowledged_.size() - found.size());
  }

  std::string file(const std::string& name) const { return folder_.state() + "/" + name; }

  TempFolder folder_;
  FaultDisk disk_;
  SqliteOptions options_ = options_on(folder_, disk_);
  std::vector<JournalRecord> acknowledged_;
  std::string database_;
  std::string log_;
};

/// Every byte of what is dense, and some of the rest.
std::vector<std::size_t> places_in(const std::string& bytes, std::size_t dense, std::size_t step) {
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < bytes.size(); at += at < dense ? 1 : step) places.push_back(at);
  return places;
}

TEST_F(JournalDamage, a_flipped_bit_in_the_database_is_harmless_or_found) {
  live(60, 2);
  int found = 0;
  for (const std::size_t at : places_in(database_, 110, 29)) {
    std::string damaged = database_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    const auto records = find_in(damaged, log_);
    if (records) {
      EXPECT_EQ(missing(*records), 0) << "at " << at;
    } else {
      ++found;
      EXPECT_EQ(records.error().code, Errc::unsafe) << "at " << at << records.error().message;
      EXPECT_NE(records.error().message.find("; "), std::string::npos) << records.error().message;
    }
  }
  EXPECT_GT(found, 50);
}

TEST_F(JournalDamage, a_flipped_bit_in_the_log_is_found_unless_it_looks_like_a_torn_end) {
  live(0, 12);
  int found = 0;
  for (const std::size_t at : places_in(log_, 32 + 24, 67)) {
    std::string damaged = log_;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    const auto records = find_in(database_, damaged);
    if (records) {
      EXPECT_GE(missing(*records), 0) << "at " << at;
      EXPECT_LE(missing(*records), 1) << "at " << at << " of " << log_.size();
    } else {
      ++found;
      EXPECT_EQ(records.error().code, Errc::unsafe) << "at " << at << records.error().message;
    }
  }
  EXPECT_GT(found, 500);
}

TEST_F(JournalDamage, a_shortened_database_is_found) {
  live(60, 2);
  for (std::size_t size = 0; size < database_.size(); size += 511) {
    const auto records = find_in(database_.substr(0, size), log_);
    if (records) {
      // Pages that the log holds as well are not missed.
      EXPECT_EQ(missing(*records), 0) << size;
    } else {
      EXPECT_EQ(records.error().code, Errc::unsafe) << size << records.error().message;
    }
  }
}

TEST_F(JournalDamage, a_shortened_log_loses_its_end_and_nothing_else) {
  live(5, 8);
  for (std::size_t size = 0; size <= log_.size(); size += 509) {
    const auto records = find_in(database_, log_.substr(0, size));
    ASSERT_TRUE(records) << size << records.error().message;
    EXPECT_GE(missing(*records), 0) << size;
  }
}

TEST_F(JournalDamage, a_table_that_leads_to_another_ones_page_is_found_before_it_is_written_to) {
  live(20, 0);
  // In SQLite's list of tables the byte behind both names is the number of the table's first page.
  const std::size_t record = database_.find("recordrecord") + 12;
  const std::size_t owner = database_.find("ownerowner") + 10;
  std::string damaged = database_;
  ASSERT_NE(damaged[owner], damaged[record]);
  damaged[owner] = damaged[record];
  const auto records = find_in(damaged, log_);
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code, Errc::unsafe) << records.error().message;
  EXPECT_EQ(bytes_of(file("journal.db")), damaged);
}

TEST_F(JournalDamage, a_page_of_zeros_is_found) {
  live(60, 0);
  for (std::size_t at = 0; at < database_.size(); at += 4096) {
    std::string damaged = database_;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at), 4096, '\0');
    const auto records = find_in(damaged, log_);
    if (records) {
      EXPECT_EQ(missing(*records), 0) << at;
    } else {
      EXPECT_EQ(records.error().code, Errc::unsafe) << at;
    }
  }
}

class JournalTampering : public JournalDamage {
 protected:
  JournalTampering() { append(5, "a"); }

  /// Changes the file as a user with the sqlite3 shell would, without any other trace.
  void run(const std::string& sql) {
    run_again("DROP TRIGGER record_is_never_changed; DROP TRIGGER record_is_never_removed");
    run_again(sql);
    const std::size_t triggers = kSchemaSql.find("CREATE TRIGGER");
    run_again(std::string(
        kSchemaSql.substr(triggers, kSchemaSql.find("PRAGMA application_id") - triggers)));
  }
  void run_again(const std::string& sql) {
    auto db = Db::open(file("journal.db"), disk_.vfs());
    ASSERT_TRUE(db);
    const auto done = (*db)->run(sql);
    ASSERT_TRUE(done) << done.error().message;
  }
  void expect_unsafe(const std::string& fact) {
    const auto records = find();
    ASSERT_FALSE(records);
    EXPECT_EQ(records.error().code, Errc::unsafe);
    EXPECT_NE(records.error().message.find(fact), std::string::npos) << records.error().message;
    EXPECT_NE(records.error().message.find("--adopt"), std::string::npos)
        << records.error().message;
  }
};

TEST_F(JournalTampering, a_changed_row_breaks_the_chain) {
  run("UPDATE record SET value = 'another digest' WHERE seq = 3");
  expect_unsafe("row 3 breaks the chain");
}

TEST_F(JournalTampering, a_row_missing_in_the_middle_is_named) {
  run("DELETE FROM record WHERE seq = 2");
  expect_unsafe("row 2 is missing");
}

TEST_F(JournalTampering, rows_missing_at_the_end_are_noticed) {
  run("DELETE FROM record WHERE seq > 3");
  expect_unsafe("row 3 is the last one, but 5 were acknowledged");
}

TEST_F(JournalTampering, swapped_rows_are_noticed) {
  run("UPDATE record SET seq = 100 WHERE seq = 2; UPDATE record SET seq = 2 WHERE seq = 3;"
      " UPDATE record SET seq = 3 WHERE seq = 100");
  expect_unsafe("row 2 breaks the chain");
}

TEST_F(JournalTampering, an_unknown_kind_is_refused) {
  run("UPDATE record SET kind = 77 WHERE seq = 4");
  expect_unsafe("row 4 says something unknown to this ichor");
}

TEST_F(JournalTampering, an_unknown_call_is_refused) {
  run("UPDATE record SET call = 'Juggle' WHERE seq = 4");
  expect_unsafe("row 4 says something unknown to this ichor");
}

TEST_F(JournalTampering, an_unknown_outcome_is_refused) {
  run("UPDATE record SET outcome = 'perhaps' WHERE seq = 4");
  expect_unsafe("row 4 says something unknown to this ichor");
}

TEST_F(JournalTampering, a_head_that_cannot_be_is_noticed) {
  run("UPDATE head SET seq = -1");
  expect_unsafe("its head is damaged");
  run_again("UPDATE head SET seq = 5, chain = chain + (1 << 32)");
  expect_unsafe("its head is damaged");
  run_again("UPDATE head SET chain = (chain + 1) & 0xffffffff");
  expect_unsafe("5 were acknowledged");
}

TEST_F(JournalTampering, an_owner_that_cannot_be_is_noticed) {
  run("UPDATE owner SET generation = -1");
  expect_unsafe("its owner is damaged");
}

TEST_F(JournalTampering, a_header_that_denies_the_log_is_noticed) {
  live(20, 0);
  // What may read and what may write the file: 2 says that there is a log, 1 that there is none.
  std::string damaged = database_;
  damaged[18] = damaged[19] = 1;
  overwrite(file("journal.db"), damaged);
  std::filesystem::remove(file("journal.db-wal"));
  std::filesystem::remove(file("journal.db-shm"));
  expect_unsafe("the file's header is wrong");
}

TEST_F(JournalTampering, a_header_that_forbids_writing_is_noticed) {
  live(20, 0);
  std::string damaged = database_;
  damaged[18] = 3;
  overwrite(file("journal.db"), damaged);
  expect_unsafe("the file's header is wrong");
  // If the disk forbids it too, the journal cannot know.
  FaultCalls calls;
  calls.fail("faccessat", EROFS);
  const auto records = find();
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code, Errc::io) << records.error().message;
}

TEST_F(JournalTampering, another_origin_is_noticed) {
  run("UPDATE meta SET machine = 'laptop'");
  expect_unsafe("origin is damaged");
}

TEST_F(JournalTampering, missing_one_row_tables_are_noticed) {
  for (const char* table : {"head", "owner", "meta"}) {
    SCOPED_TRACE(table);
    const std::string whole = bytes_of(file("journal.db"));
    const std::string log = bytes_of(file("journal.db-wal"));
    auto db = Db::open(file("journal.db"), disk_.vfs());
    ASSERT_TRUE((*db)->run(std::string("DELETE FROM ") + table));
    db->reset();
    expect_unsafe("missing");
    std::filesystem::remove(file("journal.db-shm"));
    overwrite(file("journal.db"), whole);
    overwrite(file("journal.db-wal"), log);
  }
}

TEST_F(JournalTampering, rows_cannot_be_changed_while_the_triggers_stand) {
  auto db = Db::open(file("journal.db"), disk_.vfs());
  ASSERT_TRUE(db);
  EXPECT_FALSE((*db)->run("UPDATE record SET value = '' WHERE seq = 1"));
  EXPECT_FALSE((*db)->run("DELETE FROM record WHERE seq = 5"));
}

TEST_F(JournalTampering, a_trigger_of_another_program_is_refused) {
  run_again(
      "CREATE TRIGGER quiet AFTER INSERT ON record BEGIN UPDATE owner SET pid = pid + 1; END");
  expect_unsafe("ichor did not make its trigger quiet");
}

TEST_F(JournalTampering, a_view_or_a_table_of_another_program_is_refused) {
  run_again("CREATE TABLE notes (text TEXT)");
  expect_unsafe("ichor did not make its table notes");
  run_again("DROP TABLE notes; CREATE VIEW looks AS SELECT * FROM record");
  expect_unsafe("ichor did not make its view looks");
}

TEST_F(JournalTampering, a_missing_trigger_is_noticed) {
  run_again("DROP TRIGGER record_is_never_removed");
  expect_unsafe("it has 5 tables and triggers, and ichor made 6");
}

TEST_F(JournalTampering, a_trigger_with_another_text_is_refused) {
  run_again(
      "DROP TRIGGER record_is_never_removed;"
      "CREATE TRIGGER record_is_never_removed BEFORE DELETE ON record BEGIN SELECT 1; END");
  expect_unsafe("ichor did not make its trigger record_is_never_removed");
}

TEST_F(JournalTampering, a_newer_schema_is_left_alone) {
  run("PRAGMA user_version = 2");
  const auto records = find();
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code, Errc::unsafe);
  EXPECT_NE(records.error().message.find("newer"), std::string::npos) << records.error().message;
}

TEST_F(JournalTampering, a_schema_that_never_was_is_damage) {
  run("PRAGMA user_version = 0");
  expect_unsafe("unknown schema version 0");
}

TEST_F(JournalTampering, a_database_of_another_program_is_not_a_journal) {
  run("PRAGMA application_id = 0");
  expect_unsafe("this is not a journal of ichor");
}

TEST_F(JournalTampering, a_deleted_journal_is_not_started_again) {
  for (const char* name : {"journal.db", "journal.db-wal", "journal.db-shm"}) {
    std::filesystem::remove(file(name));
  }
  expect_unsafe("the file is missing");
}

TEST_F(JournalTampering, a_log_without_its_journal_is_not_started_again) {
  std::filesystem::remove(file("journal.db"));
  std::filesystem::remove(file("lock"));
  expect_unsafe("the file is missing");
  EXPECT_GT(std::filesystem::file_size(file("journal.db-wal")), 0u);
}

TEST_F(JournalTampering, an_emptied_journal_is_not_started_again) {
  overwrite(file("journal.db"), "");
  expect_unsafe("the file is empty");
  EXPECT_GT(std::filesystem::file_size(file("journal.db-wal")), 0u);
}

TEST_F(JournalTampering, a_text_in_place_of_the_journal_is_no_journal) {
  overwrite(file("journal.db"), std::string(8192, 'x'));
  const auto records = find();
  ASSERT_FALSE(records);
  EXPECT_EQ(records.error().code, Errc::unsafe);
}

TEST_F(JournalTampering, a_journal_on_another_machine_says_so_until_it_is_adopted) {
  EXPECT_FALSE(open()->copied());
  options_.machine = "laptop";
  auto store = open();
  EXPECT_TRUE(store->copied());
  EXPECT_EQ(store->origin().machine, "desk");
  EXPECT_EQ(store->adopt().error().code, Errc::locked);
  ASSERT_TRUE(store->lock(owner_named("c")));
  ASSERT_TRUE(store->adopt());
  EXPECT_FALSE(store->copied());
  store.reset();
  store = open();
  EXPECT_FALSE(store->copied());
  EXPECT_EQ(store->origin().journal_id, "0123456789abcdef");
  options_.machine = "";
  EXPECT_FALSE(open()->copied());
}

TEST_F(JournalDamage, a_journal_that_does_not_know_its_machine_is_no_copy) {
  options_.machine = "";
  append(1, "a");
  options_.machine = "laptop";
  EXPECT_FALSE(open()->copied());
}

TEST_F(JournalTampering, a_holder_whose_name_was_changed_by_hand_writes_no_more) {
  const auto holder = open();
  ASSERT_TRUE(holder->lock(owner_named("b")));
  run("UPDATE owner SET nonce = 'c'");
  std::vector<JournalRecord> batch{intent_of(6)};
  EXPECT_EQ(holder->append(batch).error().code, Errc::locked);
}

TEST_F(JournalTampering, a_removed_lock_file_does_not_prove_its_holder_dead) {
  const auto holder = open();
  ASSERT_TRUE(holder->lock(owner_named("b")));
  std::filesystem::remove(file("lock"));
  const auto second = open();
  const auto refused = second->lock(owner_named("c"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::locked);
  EXPECT_NE(refused.error().message.find("ichor unlock b"), std::string::npos);
  EXPECT_TRUE(second->break_lock("b"));
  EXPECT_TRUE(second->lock(owner_named("c")));
}

}  // namespace

}  // namespace ichor
