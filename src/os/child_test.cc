#include "os/child.h"

#include <csignal>
#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(Child, GetsItsInputAndVariablesAndGivesItsOutput) {
  ChildCall call;
  call.arguments = {"sh", "-c", "printf '%s:' \"$ICHOR_CHILD_TEST\"; cat; exit 7"};
  call.variables["ICHOR_CHILD_TEST"] = "canary";
  call.input = SecretString("fed");
  const auto done = run_child(call);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->output.reveal(), "canary:fed");
  EXPECT_EQ(done->exit, 7);
}

TEST(Child, TakesMoreInputThanAPipeHolds) {
  ChildCall call;
  call.arguments = {"cat"};
  call.input = SecretString(std::string(3'000'000, 'x'));
  const auto done = run_child(call);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->output.size(), 3'000'000u);
}

TEST(Child, MayLeaveItsInputUnread) {
  std::signal(SIGPIPE, SIG_IGN);
  ChildCall call;
  call.arguments = {"true"};
  call.input = SecretString(std::string(3'000'000, 'x'));
  const auto done = run_child(call);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->exit, 0);
}

TEST(Child, ThatDoesNotExistIsSaidSo) {
  const auto done = run_child({{"ichor-no-such-program"}, {}, {}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::invalid);
}

TEST(Child, ThatIsKilledHasTheSignalInItsExitCode) {
  const auto done = run_child({{"sh", "-c", "kill -9 $$"}, {}, {}});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->exit, 128 + 9);
}

}  // namespace
}  // namespace ichor
