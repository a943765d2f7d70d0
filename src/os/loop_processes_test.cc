#include "os/loop_processes.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/task_group.h"
#include "os/temp_dir.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

class LoopProcessesTest : public ::testing::Test {
 protected:
  Result<ProcessResult> run(ProcessCall call, Duration patience = std::chrono::seconds(60)) {
    Result<ProcessResult> result;
    const auto work = [&]() -> Task<void> {
      const Context context{&loop_, &scope_, loop_.now() + patience};
      result = co_await processes_.run(context, std::move(call));
      loop_.stop();
    };
    Task<void> task = work();
    loop_.post([&task] { task.start(); });
    loop_.run();
    return result;
  }

  static ProcessCall shell(std::string script) {
    ProcessCall call;
    call.program = "/bin/sh";
    call.arguments = {"-c", std::move(script)};
    return call;
  }

  /// A program that ends when its input does.
  Task<void> cat(Context context, int& good) {
    ProcessCall call = shell("cat; echo done >&2");
    call.input = SecretString("fed");
    const auto done = co_await processes_.run(context, std::move(call));
    if (done && done->output.reveal() == "fed" && done->errors == "done\n") ++good;
  }

  LoopClock loop_;
  CancelScope scope_;
  LoopProcesses processes_{loop_, "relative:/nowhere:/usr/bin:/bin", "/home/tester"};
};

TEST_F(LoopProcessesTest, GiveOutputErrorsAndExitCode) {
  ProcessCall call = shell("cat; echo oops >&2; exit 3");
  call.input = SecretString("fed");
  const auto done = run(std::move(call));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->output.reveal(), "fed");
  EXPECT_EQ(done->errors, "oops\n");
  EXPECT_EQ(done->exit, 3);
}

TEST_F(LoopProcessesTest, ShowOnlyTheVariablesThatAreNamed) {
  setenv("ICHOR_SECRET_OF_OURS", "canary", 1);
  ProcessCall call = shell("env");
  call.variables["KUBECONFIG"] = "/state/kubeconfig";
  const auto done = run(std::move(call));
  ASSERT_TRUE(done) << done.error().message;
  const std::string seen(done->output.reveal());
  EXPECT_THAT(seen, HasSubstr("KUBECONFIG=/state/kubeconfig\n"));
  EXPECT_THAT(seen, HasSubstr("HOME=/home/tester\n"));
  EXPECT_THAT(seen, ::testing::Not(HasSubstr("canary")));
}

TEST_F(LoopProcessesTest, EndWithTheirWholeGroupWhenTimeIsUp) {
  ProcessCall call = shell("sleep 1000 & sleep 1000");
  call.limit = std::chrono::milliseconds(100);
  const auto done = run(std::move(call));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::out_of_time);
  EXPECT_THAT(done.error().message, HasSubstr("did not end within"));
}

/// As helm of a killed ichor does, what the program leaves behind keeps the hold.
TEST_F(LoopProcessesTest, HoldTheirFileUntilTheLastOfThemEnds) {
  const auto folder = make_temp_dir("ichor-hold");
  ASSERT_TRUE(folder);
  ProcessCall call = shell("setsid -w sh -c 'sleep 1000 </dev/null >/dev/null 2>&1 & echo $!'");
  call.hold = *folder + "/helm.lock";
  EXPECT_FALSE(processes_.is_held(call.hold)) << "there is no such file yet";
  const ProcessCall same = call;
  const auto done = run(std::move(call));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(processes_.is_held(same.hold));
  const auto second = run(same);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::locked);
  EXPECT_THAT(second.error().message, HasSubstr("an earlier /bin/sh still runs"));
  ASSERT_EQ(::kill(std::stoi(std::string(done->output.reveal())), SIGKILL), 0);
  while (processes_.is_held(same.hold)) ::usleep(1000);
  remove_temp_dir(*folder);
}

TEST_F(LoopProcessesTest, ThatAreMissingAreSaidSo) {
  ProcessCall call;
  call.program = "/nowhere/helm";
  EXPECT_EQ(run(call).error().code, Errc::invalid);
  call.program = "helm";
  EXPECT_EQ(run(call).error().code, Errc::invalid);
  EXPECT_EQ(processes_.find("ichor-no-such-program"), std::nullopt);
  EXPECT_TRUE(processes_.find("sh").value_or("").starts_with('/'));
}

TEST_F(LoopProcessesTest, RunSideBySideAndOneAfterTheOther) {
  int good = 0;
  const auto work = [&]() -> Task<void> {
    const Context context{&loop_, &scope_, loop_.now() + std::chrono::seconds(60)};
    for (int round = 0; round < 5; ++round) {
      TaskGroup group(context);
      for (int i = 0; i < 8; ++i) group.spawn(cat(context, good));
      co_await group.join();
    }
    loop_.stop();
  };
  Task<void> task = work();
  loop_.post([&task] { task.start(); });
  loop_.run();
  EXPECT_EQ(good, 40);
}

TEST_F(LoopProcessesTest, HandOverLinesAsTheyCome) {
  ProcessCall call = shell("echo one; printf 'two\\nhalf'; echo trouble >&2");
  std::vector<std::string> lines;
  std::vector<std::string> errors;
  call.output_line = [&lines](std::string_view line) { lines.emplace_back(line); };
  call.error_line = [&errors](std::string_view line) { errors.emplace_back(line); };
  const auto done = run(std::move(call));
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "half"}));
  EXPECT_EQ(errors, std::vector<std::string>{"trouble"});
  EXPECT_EQ(done->output.reveal(), "");
}

TEST_F(LoopProcessesTest, ThatAreCalledOffEndInOrderWhereTheyGetTheTime) {
  ProcessCall call = shell("trap 'echo ended; exit 7' TERM; echo ready; while :; do sleep 1; done");
  std::vector<std::string> lines;
  call.output_line = [&](std::string_view line) {
    lines.emplace_back(line);
    if (line == "ready") scope_.cancel();
  };
  call.grace = std::chrono::seconds(60);
  const auto done = run(std::move(call));
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(done->exit, 7);
  EXPECT_EQ(lines, (std::vector<std::string>{"ready", "ended"}));
}

TEST_F(LoopProcessesTest, SeeOurVariablesOnlyIfTheyInheritThem) {
  ASSERT_EQ(::setenv("ICHOR_TEST_INHERITS", "yes", 1), 0);
  ProcessCall call = shell("echo \"$ICHOR_TEST_INHERITS\" $HOME");
  EXPECT_EQ(run(call)->output.reveal(), " /home/tester\n");
  call.inherits = true;
  EXPECT_EQ(run(call)->output.reveal(), "yes /home/tester\n");
  ::unsetenv("ICHOR_TEST_INHERITS");
}

TEST_F(LoopProcessesTest, TakeMoreInputThanAPipeHolds) {
  ProcessCall call;
  call.program = "/bin/cat";
  call.input = SecretString(std::string(3'000'000, 'x'));
  const auto done = run(std::move(call));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->output.size(), 3'000'000u);
}

}  // namespace
}  // namespace ichor
