#include "journal/lock_rule.h"

#include <gtest/gtest.h>

namespace ichor {

namespace {

TEST(LockRule, tells_whose_process_is_certainly_gone) {
  const LockOwner mine{"m", "desk", "boot-2", 1};
  EXPECT_TRUE(certainly_gone({"l", "desk", "boot-2", 9}, mine));
  EXPECT_TRUE(certainly_gone({"l", "desk", "boot-1", 9}, mine));
  // A container of this machine: it has another host name but runs on the same kernel.
  EXPECT_TRUE(certainly_gone({"l", "container", "boot-2", 9}, mine));
  EXPECT_FALSE(certainly_gone({"l", "laptop", "boot-7", 9}, mine));
}

TEST(LockRule, believes_nothing_of_a_process_that_did_not_say_where_it_ran) {
  EXPECT_FALSE(certainly_gone({"l", "", "", 9}, {"m", "", "", 1}));
}

TEST(LockRule, a_refusal_says_who_why_and_what_to_do) {
  const Error error = refused_by({"n-1", "desk", "boot-2", 9}, "it is running");
  EXPECT_EQ(error.code, Errc::locked);
  EXPECT_EQ(error.message,
            "this cluster's state is locked by process 9 on host desk (boot boot-2, nonce n-1): "
            "it is running; wait for it to end, or, if you know that it is gone, run "
            "`ichor unlock n-1`");
}

}  // namespace

}  // namespace ichor
