#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/fault_disk.h"
#include "journal/sqlite_store.h"
#include "journal/test_kit.h"

// The life of a journal in four processes, played until something fails, and what must be true
// whatever failed. The sweeps tell it again and again, each time with the next thing failing.

namespace ichor {

struct Story {
  std::vector<JournalRecord> acknowledged;
  std::vector<JournalRecord> in_doubt;  // the batch whose commit failed
  std::optional<Error> failure;         // with which it ended before its time
};

inline SqliteOptions options_on(const TempFolder& folder, const FaultDisk& disk) {
  SqliteOptions options;
  options.folder = folder.state();
  options.journal_id = "0123456789abcdef";
  options.machine = "desk";
  options.vfs = disk.vfs();
  return options;
}

/// A store that failed must say so again, and must not touch the disk any more.
inline void expect_silence(SqliteStore& store, const FaultDisk& disk) {
  const int before = disk.operations();
  std::vector<JournalRecord> batch{intent_of(99)};
  EXPECT_FALSE(store.append(batch));
  EXPECT_FALSE(store.tidy());
  EXPECT_FALSE(store.adopt());
  EXPECT_FALSE(store.break_lock("any"));
  EXPECT_FALSE(store.unlock());
  EXPECT_FALSE(store.lock(owner_named("again")));
  EXPECT_EQ(disk.operations(), before);
}

inline Result<void> append_batch(SqliteStore& store, Story& story, const FaultDisk& disk,
                                 int size) {
  std::vector<JournalRecord> batch;
  for (int at = 0; at < size; ++at) {
    batch.push_back(intent_of(static_cast<int>(story.acknowledged.size()) + at + 1));
  }
  // Large enough for several pages in one commit, and of a length for whose last byte, a zero,
  // SQLite needs more memory when it is read.
  if (size == 12) batch.front().value = std::string(9006, 'x');
  auto written = store.append(batch);
  if (written) {
    story.acknowledged.insert(story.acknowledged.end(), batch.begin(), batch.end());
  } else {
    story.in_doubt = batch;
    for (std::size_t at = 0; at < batch.size(); ++at) {
      story.in_doubt[at].seq = story.acknowledged.size() + at + 1;
    }
    expect_silence(store, disk);
  }
  return written;
}

inline Result<std::unique_ptr<SqliteStore>> open_locked(const SqliteOptions& options,
                                                        const char* nonce) {
  auto store = SqliteStore::open(options);
  if (!store) return store;
  if (auto locked = (*store)->lock(owner_named(nonce)); !locked) {
    return forward_error(locked);
  }
  return store;
}

/// Takes the lock, over its dead holder if there is one, and writes.
inline Result<std::unique_ptr<SqliteStore>> write_as(const char* nonce,
                                                     const SqliteOptions& options, Story& story,
                                                     const FaultDisk& disk) {
  auto store = open_locked(options, nonce);
  if (!store) return store;
  for (const int size : {1, 3, 1, 12}) {
    if (auto written = append_batch(**store, story, disk, size); !written) {
      return forward_error(written);
    }
  }
  return store;
}

/// On another machine, whose own the journal becomes.
inline Result<void> adopt_elsewhere(SqliteOptions options, Story& story, const FaultDisk& disk) {
  options.machine = "laptop";
  auto store = open_locked(options, "third");
  if (!store) return forward_error(store);
  if (auto adopted = (*store)->adopt(); !adopted) return adopted;
  if (auto written = append_batch(**store, story, disk, 2); !written) return written;
  return (*store)->tidy();
}

/// Breaks the lock that was left behind, looks on, and ends in order.
inline Result<void> break_and_read(const SqliteOptions& options, const Story& story) {
  auto store = SqliteStore::open(options);
  if (!store) return forward_error(store);
  const auto holder = (*store)->holder();
  if (!holder) return forward_error(holder);
  EXPECT_EQ((*holder)->nonce, "third");
  if (auto broken = (*store)->break_lock("third"); !broken) return broken;
  const auto records = (*store)->read();
  if (!records) return forward_error(records);
  EXPECT_EQ(*records, story.acknowledged);
  if (auto locked = (*store)->lock(owner_named("fourth")); !locked) return locked;
  return (*store)->unlock();
}

inline constexpr int kProcesses = 4;

/// The first process makes the journal and dies without a word, the second takes over its lock and
/// its log and ends in order, the third has another machine and dies, the fourth ends in order.
inline Result<void> live_as(int process, const SqliteOptions& options, Story& story,
                            const FaultDisk& disk) {
  if (process == 2) return adopt_elsewhere(options, story, disk);
  if (process == 3) return break_and_read(options, story);
  auto store = write_as(process == 0 ? "first" : "second", options, story, disk);
  if (!store) return forward_error(store);
  return process == 0 ? Result<void>() : (*store)->unlock();
}

/// Goes on with a story, from one process to before another.
inline void live_on(int first, int end, const SqliteOptions& options, Story& story,
                    const FaultDisk& disk) {
  for (int process = first; process < end && !story.failure; ++process) {
    auto lived = live_as(process, options, story, disk);
    if (!lived) story.failure = std::move(lived).error();
  }
}

inline Story live(const SqliteOptions& options, const FaultDisk& disk) {
  Story story;
  live_on(0, kProcesses, options, story, disk);
  return story;
}

/// What the next process finds, and that it can go on.
inline void expect_nothing_lost(const SqliteOptions& options, const Story& story) {
  // The journal is whole: what failed was the machine.
  if (story.failure) {
    EXPECT_EQ(story.failure->code, Errc::io) << story.failure->message;
  }
  auto store = SqliteStore::open(options);
  ASSERT_TRUE(store) << store.error().message;
  const auto locked = (*store)->lock(owner_named("last"));
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

}  // namespace ichor
