#include <filesystem>
#include <gtest/gtest.h>

#include "journal/test_story.h"

// Faults L1, L3 and L4 at every operation on the disk in the life of a journal, one after another.

namespace ichor {

namespace {

using Fault = FaultDisk::Fault;

struct Case {
  const char* name;
  Fault fault;
  std::uint64_t seed;  // of what a power loss leaves
};

class JournalCrash : public ::testing::TestWithParam<Case> {};

TEST_P(JournalCrash, at_every_operation_leaves_what_was_acknowledged) {
  const Case& param = GetParam();
  int at = 1;
  for (bool fired = true; fired; ++at) {
    SCOPED_TRACE("operation " + std::to_string(at));
    ASSERT_LT(at, 5000);
    TempFolder folder;
    FaultDisk disk;
    const SqliteOptions options = options_on(folder, disk);
    disk.arm(param.fault, at);
    const Story story = live(options, disk);
    fired = disk.fired();
    // SQLite may do without a lock or a page of its cache, but not without what it wrote.
    if (param.fault == Fault::call_fails) {
      EXPECT_TRUE(fired || !story.failure);
    } else {
      EXPECT_EQ(fired, story.failure.has_value());
    }
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
                      Case{"call_fails", Fault::call_fails, 0},
                      Case{"power_loss", Fault::power_loss, 0},
                      Case{"torn_1", Fault::power_loss, 1}, Case{"torn_2", Fault::power_loss, 2},
                      Case{"torn_3", Fault::power_loss, 3}, Case{"torn_4", Fault::power_loss, 4},
                      Case{"torn_5", Fault::power_loss, 5}, Case{"torn_6", Fault::power_loss, 6}),
    [](const auto& info) { return info.param.name; });

}  // namespace

}  // namespace ichor
