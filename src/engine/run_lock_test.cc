#include "engine/run_lock.h"

#include <gtest/gtest.h>

#include "journal/memory_journal.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

/// Answers as a journal does whose lock changes hands: `nameless` times without a name.
class ChangingHands final : public Journal {
 public:
  ChangingHands(Journal& inner, int nameless) : nameless(nameless), inner_(inner) {}
  Task<Result<std::uint64_t>> append(Context context, JournalRecord record) override {
    return inner_.append(context, std::move(record));
  }
  Result<std::vector<JournalRecord>> read() override { return inner_.read(); }
  Result<void> lock(const LockOwner& owner) override {
    ++asked;
    if (nameless-- > 0) return fail(Errc::locked, "changes hands");
    return inner_.lock(owner);
  }
  void unlock() override { inner_.unlock(); }
  std::optional<LockOwner> holder() override { return inner_.holder(); }
  bool holder_runs_here() override { return inner_.holder_runs_here(); }
  Result<void> break_lock(const std::string& nonce) override { return inner_.break_lock(nonce); }
  int nameless;
  int asked{0};

 private:
  Journal& inner_;
};

class RunLockTest : public ::testing::Test {
 protected:
  Result<RunLock> take(Journal& journal) {
    Task<Result<RunLock>> task =
        RunLock::take({&clock_, &scope_}, journal, {"second", "host", "boot", 2});
    task.start();
    while (!task.done() && clock_.step()) {
    }
    return task.take();
  }

  sim::VirtualClock clock_;
  CancelScope scope_;
  MemoryStore store_{clock_};
  MemoryJournal first_{store_};
  MemoryJournal second_{store_};
};

TEST_F(RunLockTest, GivesTheLockBackAtTheEndOfItsScope) {
  {
    const auto lock = take(second_);
    ASSERT_TRUE(lock);
    EXPECT_EQ(second_.holder()->nonce, "second");
  }
  EXPECT_FALSE(second_.holder());
}

TEST_F(RunLockTest, NamesTheHolderAfterTheLockChangedHands) {
  ASSERT_TRUE(first_.lock({"first", "host", "boot", 1}));
  ChangingHands changing(second_, 5);
  const auto lock = take(changing);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().fault, FaultId("L7"));
  EXPECT_EQ(changing.asked, 6);
  EXPECT_EQ(first_.holder()->nonce, "first");
}

TEST_F(RunLockTest, DoesNotAskForEver) {
  ChangingHands changing(second_, 1'000'000);
  const auto lock = take(changing);
  ASSERT_FALSE(lock);
  EXPECT_LT(clock_.now().time_since_epoch(), std::chrono::seconds(10));
}

}  // namespace
}  // namespace ichor
