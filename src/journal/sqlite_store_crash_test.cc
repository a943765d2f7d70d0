#include <filesystem>
#include <gtest/gtest.h>
#include <optional>

#include "journal/fault_disk.h"
#include "journal/sqlite_store.h"
#include "journal/test_kit.h"

// Faults L1, L3 and L4 at every operation on the disk in the life of a journal, one after another.

namespace ichor {

namespace {

using Fault = FaultDisk::Fault;

struct Story {
  std::vector<JournalRecord> acknowledged;
  std::vector<JournalRecord> in_doubt;  // the batch whose commit failed
  bool ended{false};                    // without meeting the fault
};

SqliteOptions options_on(const TempFolder& folder, const FaultDisk& disk) {
  SqliteOptions options;
  options.folder = folder.state();
  options.journal_id = "0123456789abcdef";
  options.machine = "desk";
  options.vfs = disk.vfs();
  return options;
}

/// Appends batches of several sizes; false as soon as the disk failed.
bool append_batches(SqliteStore& store, Story& story) {
  for (const int size : {1, 3, 1, 12}) {
    std::vector<JournalRecord> batch;
    for (int at = 0; at < size; ++at) {
      batch.push_back(intent_of(static_cast<int>(story.acknowledged.size()) + at + 1));
    }
    // Large enough for several pages in one commit.
    if (size == 12) batch.front().value = std::string(9000, 'x');
    if (!store.append(batch)) {
      story.in_doubt = batch;
      for (std::size_t at = 0; at < batch.size(); ++at) {
        story.in_doubt[at].seq = story.acknowledged.size() + at + 1;
      }
      return false;
    }
    story.acknowledged.insert(story.acknowledged.end(), batch.begin(), batch.end());
  }
  return true;
}

/// A store that failed must say so again, and must not touch the disk any more.
void expect_silence(std::unique_ptr<SqliteStore> store, const FaultDisk& disk) {
  const int before = disk.operations();
  std::vector<JournalRecord> batch{intent_of(99)};
  EXPECT_FALSE(store->append(batch));
  EXPECT_FALSE(store->unlock());
  store.reset();
  EXPECT_EQ(disk.operations(), before);
}

/// Two processes, one after the other: the first makes the journal and dies without a word, the
/// second takes over its lock and its log, and ends in order. Stops at the first fault.
Story live(const SqliteOptions& options, const FaultDisk& disk) {
  Story story;
  for (const char* nonce : {"first", "second"}) {
    auto opened = SqliteStore::open(options);
    if (!opened) return story;
    std::unique_ptr<SqliteStore> store = *std::move(opened);
    if (!store->lock(owner_named(nonce))) return story;
    if (!append_batches(*store, story)) {
      expect_silence(std::move(store), disk);
      return story;
    }
    if (std::string_view(nonce) == "second") {
      const auto given = store->unlock();
      // Only an orderly end that met the fault is left; everything was acknowledged.
      if (!given) return story;
    }
  }
  story.ended = true;
  return story;
}

void expect_nothing_lost(const SqliteOptions& options, const Story& story) {
  auto store = SqliteStore::open(options);
  ASSERT_TRUE(store) << store.error().message;
  const auto locked = (*store)->lock(owner_named("third"));
  ASSERT_TRUE(locked) << locked.error().message;
  const auto left = (*store)->read();
  ASSERT_TRUE(left) << left.error().message;
  std::vector<JournalRecord> with_doubtful = story.acknowledged;
  with_doubtful.insert(with_doubtful.end(), story.in_doubt.begin(), story.in_doubt.end());
  EXPECT_TRUE(*left == story.acknowledged || *left == with_doubtful)
      << left->size() << " records are left, " << story.acknowledged.size() << " were acknowledged";
  std::vector<JournalRecord> next{intent_of(100)};
  ASSERT_TRUE((*store)->append(next));
  EXPECT_EQ(next.front().seq, left->size() + 1);
}

struct Case {
  const char* name;
  Fault fault;
  std::uint64_t seed;  // of what a power loss leaves
};

class JournalCrash : public ::testing::TestWithParam<Case> {};

TEST_P(JournalCrash, at_every_operation_leaves_what_was_acknowledged) {
  const Case& param = GetParam();
  int at = 1;
  for (bool ended = false; !ended; ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    ASSERT_LT(at, 1000);
    TempFolder folder;
    FaultDisk disk;
    const SqliteOptions options = options_on(folder, disk);
    disk.arm(param.fault, at);
    const Story story = live(options, disk);
    ended = story.ended;
    EXPECT_NE(ended, disk.fired());
    disk.wait_until_closed();
    if (param.fault == Fault::power_loss) {
      disk.restore(param.seed == 0 ? 0 : param.seed * 1000 + static_cast<std::uint64_t>(at));
      std::filesystem::remove(folder.state() + "/journal.db-shm");
    }
    disk.heal();
    expect_nothing_lost(options, story);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(at, 60) << "the story has become too short to mean anything";
}

INSTANTIATE_TEST_SUITE_P(
    Faults, JournalCrash,
    ::testing::Values(Case{"io_error", Fault::io_error, 0}, Case{"no_space", Fault::no_space, 0},
                      Case{"short_write", Fault::short_write, 0},
                      Case{"power_loss", Fault::power_loss, 0},
                      Case{"torn_1", Fault::power_loss, 1}, Case{"torn_2", Fault::power_loss, 2},
                      Case{"torn_3", Fault::power_loss, 3}, Case{"torn_4", Fault::power_loss, 4},
                      Case{"torn_5", Fault::power_loss, 5}, Case{"torn_6", Fault::power_loss, 6}),
    [](const auto& info) { return info.param.name; });

}  // namespace

}  // namespace ichor
