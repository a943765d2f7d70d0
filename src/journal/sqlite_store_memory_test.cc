#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
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

/// How things stand before one of the four processes: the sweep of a late one comes back here
/// instead of telling again what came before it.
class Beginning {
 public:
  explicit Beginning(int process) {
    const FaultDisk disk;
    live_on(0, process, options_on(folder_, disk), story_, disk);
    if (!std::filesystem::exists(folder_.state())) return;
    for (const auto& file : std::filesystem::directory_iterator(folder_.state())) {
      files_[file.path()] = bytes_of(file.path());
    }
  }

  /// Files keep their inodes, by which the holder of a lock is known.
  const TempFolder& again() {
    if (files_.empty()) std::filesystem::remove_all(folder_.state());
    if (files_.empty()) return folder_;
    for (const auto& file : std::filesystem::directory_iterator(folder_.state())) {
      if (!files_.contains(file.path())) std::filesystem::remove(file);
    }
    for (const auto& [path, bytes] : files_) {
      overwrite(path, bytes);
      std::filesystem::permissions(path, std::filesystem::perms(0600));
    }
    return folder_;
  }
  const Story& story() const { return story_; }

 private:
  TempFolder folder_;
  Story story_;
  std::map<std::string, std::string> files_;
};

/// In parts, because it is long: each takes every so many-th allocation of each process.
class JournalWithoutMemory : public ::testing::TestWithParam<int> {};

constexpr int kParts = 8;

TEST_P(JournalWithoutMemory, at_every_allocation_loses_nothing) {
  ASSERT_TRUE(kReplaced);
  int all = 0;
  for (int process = 0; process < kProcesses; ++process) {
    Beginning beginning(process);
    int at = 1 + GetParam();
    for (bool fired = true; fired; at += kParts) {
      SCOPED_TRACE(fmt::format("process {}, allocation {}", process, at));
      const TempFolder& folder = beginning.again();
      FaultDisk disk;
      const SqliteOptions options = options_on(folder, disk);
      Story story = beginning.story();
      allocations_left = at;
      live_on(process, process + 1, options, story, disk);
      fired = allocations_left == 0;
      allocations_left = 0;
      EXPECT_TRUE(fired || !story.failure);
      // SQLite can do without some of it; then the story goes on.
      live_on(process + 1, kProcesses, options, story, disk);
      expect_nothing_lost(options, story);
      if (::testing::Test::HasFailure()) return;
    }
    all += at;
  }
  EXPECT_GT(all, 1000) << "the story has become too short to mean anything";
}

INSTANTIATE_TEST_SUITE_P(Parts, JournalWithoutMemory, ::testing::Range(0, kParts));

}  // namespace

}  // namespace ichor
