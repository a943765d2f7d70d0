#include "os/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/system_random.h"

namespace ichor {
namespace {

TEST(ProcessOwner, NamesThisProcessAndNoOther) {
  SystemRandom random;
  const LockOwner one = process_owner(random);
  const LockOwner other = process_owner(random);
  EXPECT_EQ(one.pid, getpid());
  EXPECT_FALSE(one.host.empty());
  EXPECT_EQ(one.boot_id.size(), 36u);
  EXPECT_EQ(one.boot_id, other.boot_id);
  EXPECT_NE(one.nonce, other.nonce);
}

TEST(MachineMark, IsTheSameEveryTime) { EXPECT_EQ(machine_mark(), machine_mark()); }

TEST(RandomId, IsNeverTheSame) {
  SystemRandom random;
  EXPECT_EQ(random_id(random).size(), 32u);
  EXPECT_NE(random_id(random), random_id(random));
}

}  // namespace
}  // namespace ichor
