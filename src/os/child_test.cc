#include "os/child.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/temp_dir.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const ChildPlace kPlace{"/usr/bin:/bin", "/home/tester"};

ProcessCall shell(std::string script) {
  ProcessCall call;
  call.program = "sh";
  call.arguments = {"-c", std::move(script)};
  return call;
}

TEST(Child, GetsItsInputAndVariablesAndGivesItsOutput) {
  ProcessCall call = shell("printf '%s:' \"$ICHOR_CHILD_TEST\"; cat; exit 7");
  call.variables["ICHOR_CHILD_TEST"] = "canary";
  call.input = SecretString("fed");
  const auto done = run_child(call, kPlace);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->output.reveal(), "canary:fed");
  EXPECT_EQ(done->exit, 7);
}

TEST(Child, SeesNoVariableThatItWasNotGiven) {
  for (const char* name : {"AWS_SECRET_ACCESS_KEY", "OP_CONNECT_TOKEN", "GITHUB_TOKEN"}) {
    setenv(name, "canary", 1);
  }
  const auto done = run_child(shell("env"), kPlace);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(std::string(done->output.reveal()), Not(HasSubstr("canary")));
  EXPECT_THAT(std::string(done->output.reveal()), HasSubstr("HOME=/home/tester\n"));
}

TEST(Child, IsNeverFoundInTheWorkingFolder) {
  const auto folder = make_temp_dir("ichor-child");
  ASSERT_TRUE(folder);
  const std::string trap = *folder + "/ichor-trap";
  std::ofstream(trap) << "#!/bin/sh\necho trapped\n";
  ASSERT_EQ(::chmod(trap.c_str(), 0755), 0);
  const auto home = std::filesystem::current_path();
  std::filesystem::current_path(*folder);
  for (const char* path : {".", "", ":", "./:", "/usr/bin::/bin", "/usr/bin:.:"}) {
    ProcessCall call;
    for (const char* name : {"ichor-trap", "./ichor-trap"}) {
      call.program = name;
      const auto done = run_child(call, {path, "/"});
      ASSERT_FALSE(done) << path;
      EXPECT_EQ(done.error().code, Errc::invalid);
    }
  }
  // Nor by what it starts itself.
  const auto nested = run_child(shell("ichor-trap || echo \"PATH is $PATH\""), {".::/bin", "/"});
  std::filesystem::current_path(home);
  ASSERT_TRUE(nested) << nested.error().message;
  EXPECT_EQ(nested->output.reveal(), "PATH is /bin\n");
  remove_temp_dir(*folder);
}

TEST(Child, HasATimeLimitThatHoldsForWhatLeftItsGroupToo) {
  for (const char* script : {"sleep 1000", "trap '' TERM; setsid sleep 20 & sleep 1000"}) {
    ProcessCall call = shell(script);
    call.limit = std::chrono::milliseconds(50);
    const auto done = run_child(std::move(call), kPlace);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, Errc::out_of_time);
  }
}

TEST(Child, CannotMoveTheCursorWithItsErrors) {
  const auto done = run_child(shell("printf 'one\\033[2J\\ntwo\\342\\200\\256 three' >&2"), kPlace);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->errors, "one\ntwo three");
}

TEST(Child, TakesMoreInputThanAPipeHoldsOrLeavesItUnread) {
  std::signal(SIGPIPE, SIG_IGN);
  for (const char* program : {"cat", "true"}) {
    ProcessCall call;
    call.program = program;
    call.input = SecretString(std::string(3'000'000, 'x'));
    const auto done = run_child(call, kPlace);
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(done->exit, 0);
  }
}

TEST(Child, ThatIsKilledHasTheSignalInItsExitCode) {
  const auto done = run_child(shell("kill -9 $$"), kPlace);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->exit, 128 + 9);
}

TEST(Child, IsEndedByTheSignalThatEndsUs) {
  const auto folder = make_temp_dir("ichor-child");
  ASSERT_TRUE(folder);
  const std::string fifo = *folder + "/said";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    (void)run_child(shell("exec 3>" + fifo + "; echo runs >&3; exec sleep 1000"), kPlace);
    _exit(0);
  }
  std::ifstream said(fifo);
  std::string word;
  said >> word;
  EXPECT_EQ(word, "runs");
  ::kill(parent, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  // The program held the other end, so this reads on until it has ended as well.
  EXPECT_FALSE(said >> word);
  remove_temp_dir(*folder);
}

}  // namespace
}  // namespace ichor
