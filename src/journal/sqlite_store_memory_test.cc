#include <gtest/gtest.h>
#include <sqlite3.h>

#include "journal/test_story.h"

// SQLite asks for memory thousands of times in the life of a journal, and each time there may be
// none.

namespace ichor {

namespace {

sqlite3_mem_methods memory{};
thread_local int allocations_left = 0;  // until the one that fails; 0 if none will

bool fails() { return allocations_left > 0 && --allocations_left == 0; }

/// Before SQLite is used for the first time. Without the small blocks that it keeps for itself,
/// every need of memory is an allocation.
bool replace_allocator() {
  check(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory) == SQLITE_OK, "SQLite is not used yet");
  sqlite3_mem_methods failing = memory;
  failing.xMalloc = [](int size) { return fails() ? nullptr : memory.xMalloc(size); };
  failing.xRealloc = [](void* old, int size) {
    return fails() ? nullptr : memory.xRealloc(old, size);
  };
  check(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) == SQLITE_OK, "SQLite is not used yet");
  check(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK, "SQLite is not used yet");
  return true;
}

const bool kReplaced = replace_allocator();

/// In parts, because it is long: each takes every so many-th allocation.
class JournalWithoutMemory : public ::testing::TestWithParam<int> {};

constexpr int kParts = 8;

TEST_P(JournalWithoutMemory, at_every_allocation_loses_nothing) {
  ASSERT_TRUE(kReplaced);
  int at = 1 + GetParam();
  for (bool fired = true; fired; at += kParts) {
    SCOPED_TRACE("allocation " + std::to_string(at));
    TempFolder folder;
    FaultDisk disk;
    const SqliteOptions options = options_on(folder, disk);
    allocations_left = at;
    const Story story = live(options, disk);
    fired = allocations_left == 0;
    allocations_left = 0;
    // SQLite can do without some of it.
    EXPECT_TRUE(fired || !story.failure);
    expect_nothing_lost(options, story);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(at, 1000) << "the story has become too short to mean anything";
}

INSTANTIATE_TEST_SUITE_P(Parts, JournalWithoutMemory, ::testing::Range(0, kParts));

}  // namespace

}  // namespace ichor
