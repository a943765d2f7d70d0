#include "engine/run_lock.h"

#include <gtest/gtest.h>

#include "async/at_once.h"
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
  Task<Result<std::vector<JournalRecord>>> read(Context context) override {
    return inner_.read(context);
  }
  Task<Result<Lease>> lock(Context context, LockOwner owner) override {
    ++asked;
    if (nameless-- > 0) co_return fail(Errc::locked, "changes hands");
    co_return co_await inner_.lock(context, std::move(owner));
  }
  Task<Result<void>> renew(Context context) override { return inner_.renew(context); }
  void unlock() override { inner_.unlock(); }
  Task<Result<std::optional<LockHolder>>> holder(Context context) override {
    return inner_.holder(context);
  }
  Task<Result<void>> break_lock(Context context, std::string nonce) override {
    return inner_.break_lock(context, std::move(nonce));
  }
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
    EXPECT_EQ(store_.owner()->nonce, "second");
  }
  EXPECT_FALSE(store_.owner());
}

TEST_F(RunLockTest, NamesTheHolderAfterTheLockChangedHands) {
  ASSERT_TRUE(at_once(first_.lock({}, {"first", "host", "boot", 1})));
  ChangingHands changing(second_, 5);
  const auto lock = take(changing);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().fault, FaultId("L7"));
  EXPECT_EQ(changing.asked, 6);
  EXPECT_EQ(store_.owner()->nonce, "first");
}

TEST_F(RunLockTest, DoesNotAskForEver) {
  ChangingHands changing(second_, 1'000'000);
  const auto lock = take(changing);
  ASSERT_FALSE(lock);
  EXPECT_LT(clock_.now().time_since_epoch(), std::chrono::seconds(10));
}

}  // namespace
}  // namespace ichor
