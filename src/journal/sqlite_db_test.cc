#include "journal/sqlite_db.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <thread>

#include "journal/fault_disk.h"
#include "journal/test_kit.h"

namespace ichor {

namespace {

class DbTest : public ::testing::Test {
 protected:
  DbTest() {
    overwrite(path_, "");
    db_ = open();
    check(db_->ask("PRAGMA journal_mode = WAL") == "wal", "it has a log");
    check(db_->run("CREATE TABLE fact (name TEXT)").has_value(), "it has a table");
  }
  std::unique_ptr<Db> open() {
    auto opened = Db::open(path_, disk_.vfs());
    check(opened.has_value(), "a database can be made");
    // Whoever is in the way here stays there: waiting is of no use.
    check((*opened)->run("PRAGMA busy_timeout = 0").has_value(), "it need not wait");
    return *std::move(opened);
  }

  FaultDisk disk_;
  TempFolder folder_;
  std::string path_ = folder_.path() + "/db";
  std::unique_ptr<Db> db_;
};

TEST(ErrnoText, names_what_it_knows_and_numbers_the_rest) {
  EXPECT_EQ(errno_text(ENOSPC), "ENOSPC: No space left on device");
  EXPECT_EQ(errno_text(99999), "errno 99999");
}

TEST_F(DbTest, what_the_file_is_guilty_of_is_damage) {
  for (const int code :
       {SQLITE_ERROR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH,
        SQLITE_TOOBIG, SQLITE_CORRUPT_INDEX, SQLITE_CONSTRAINT_CHECK, SQLITE_IOERR_SHORT_READ,
        SQLITE_IOERR_CORRUPTFS, SQLITE_CANTOPEN_SYMLINK}) {
    const Error error = db_->error(code, "step");
    EXPECT_EQ(error.code, Errc::unsafe) << error.message;
    EXPECT_NE(error.message.find("--adopt"), std::string::npos) << error.message;
  }
}

TEST_F(DbTest, what_the_machine_is_guilty_of_is_trouble) {
  for (const int code :
       {SQLITE_BUSY, SQLITE_NOMEM, SQLITE_READONLY, SQLITE_IOERR, SQLITE_IOERR_READ,
        SQLITE_IOERR_FSYNC, SQLITE_FULL, SQLITE_CANTOPEN, SQLITE_PROTOCOL}) {
    const Error error = db_->error(code, "step");
    EXPECT_EQ(error.code, Errc::io) << error.message;
    EXPECT_EQ(error.message.find("--adopt"), std::string::npos) << error.message;
  }
}

TEST_F(DbTest, an_error_says_as_much_as_is_known) {
  EXPECT_EQ(db_->error(SQLITE_FULL, "step").message,
            path_ + ": cannot step: ENOSPC: No space left on device");
  EXPECT_EQ(db_->error(SQLITE_IOERR, "step").message, path_ + ": cannot step: disk I/O error");
  disk_.arm(FaultDisk::Fault::call_fails, 1);
  EXPECT_EQ(db_->run("SELECT * FROM fact").error().message,
            path_ + ": cannot SELECT * FROM fact: disk I/O error (EIO: Input/output error)");
  const auto missing = db_->run("SELECT * FROM lore");
  EXPECT_NE(missing.error().message.find("(no such table: lore)"), std::string::npos)
      << missing.error().message;
}

TEST_F(DbTest, extensions_that_a_journal_does_not_need_are_not_linked) {
  for (const char* module : {"fts3(t)", "fts4(t)", "fts5(t)", "rtree(id, low, high)"}) {
    const auto made = db_->run(std::string("CREATE VIRTUAL TABLE extra USING ") + module);
    ASSERT_FALSE(made.has_value()) << module;
    EXPECT_NE(made.error().message.find("no such module"), std::string::npos)
        << made.error().message;
  }
}

TEST_F(DbTest, a_file_that_is_not_there_is_not_made) {
  const auto failed = Db::open(folder_.path() + "/none", disk_.vfs());
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::io) << failed.error().message;
}

TEST_F(DbTest, the_first_row_is_the_answer) {
  EXPECT_EQ(db_->ask("VALUES ('first'), ('second')"), "first");
  EXPECT_EQ(db_->ask("SELECT NULL"), "");
  EXPECT_EQ(db_->ask("SELECT name FROM fact"), "");
}

TEST_F(DbTest, an_empty_text_is_a_text) {
  Statement insert(*db_, "INSERT INTO fact VALUES (?)");
  insert.bind(std::string_view());
  ASSERT_EQ(insert.step(), false);
  EXPECT_EQ(db_->ask("SELECT typeof(name) FROM fact"), "text");
}

TEST_F(DbTest, the_trouble_of_a_statement_is_reported_when_it_runs) {
  Statement wrong(*db_, "INSERT INTO lore VALUES (?, ?)");
  wrong.bind(std::int64_t{1}).bind("text");
  const auto failed = wrong.step();
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("cannot prepare"), std::string::npos);
  Statement narrow(*db_, "INSERT INTO fact VALUES (?)");
  EXPECT_FALSE(narrow.bind("one").bind("too many").step());
}

TEST_F(DbTest, a_checkpoint_that_empties_the_log_does_not_pass_a_reader) {
  const auto reader = open();
  const auto reading = Transaction::begin(*reader, Transaction::Kind::read);
  ASSERT_TRUE(reader->ask("SELECT count(*) FROM fact"));
  ASSERT_TRUE(db_->run("INSERT INTO fact VALUES ('x')"));
  const auto stopped = db_->checkpoint(Db::Checkpoint::truncate);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Errc::io);
  EXPECT_TRUE(db_->checkpoint(Db::Checkpoint::passive));
}

TEST_F(DbTest, a_passive_checkpoint_leaves_the_work_to_the_one_that_is_at_it) {
  ASSERT_TRUE(db_->run("INSERT INTO fact VALUES ('x')"));
  const auto other = open();
  ASSERT_TRUE(other->ask("SELECT count(*) FROM fact"));
  disk_.hang();
  std::thread slow([this] { check(db_->checkpoint(Db::Checkpoint::passive).has_value(), "done"); });
  disk_.wait_until_hanging();
  EXPECT_TRUE(other->checkpoint(Db::Checkpoint::passive));
  const auto refused = other->checkpoint(Db::Checkpoint::truncate);
  disk_.release();
  slow.join();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::io) << refused.error().message;
}

}  // namespace

}  // namespace ichor
