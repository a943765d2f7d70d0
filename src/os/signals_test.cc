#include "os/signals.h"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/loop_clock.h"

namespace ichor {
namespace {

TEST(StopSignals, TheFirstSignalReachesTheLoop) {
  LoopClock loop;
  int seen = 0;
  StopSignals signals(loop, [&](int signal) {
    seen = signal;
    loop.stop();
  });
  loop.post([] { raise(SIGTERM); });
  loop.run();
  EXPECT_EQ(seen, SIGTERM);
}

TEST(StopSignalsDeathTest, TheSecondSignalEndsTheProcessThoughTheLoopDoesNotRun) {
  const auto interrupt_twice = [] {
    LoopClock loop;
    StopSignals signals(loop, [](int) {});
    raise(SIGINT);
    raise(SIGINT);
  };
  EXPECT_EXIT(interrupt_twice(), testing::ExitedWithCode(130), "");
  const auto terminate_twice = [] {
    LoopClock loop;
    StopSignals signals(loop, [](int) {});
    raise(SIGTERM);
    raise(SIGTERM);
  };
  EXPECT_EXIT(terminate_twice(), testing::ExitedWithCode(143), "");
}

TEST(StopSignals, AClosedPipeIsAnErrorAndNotTheEnd) {
  LoopClock loop;
  StopSignals signals(loop, [](int) {});
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

}  // namespace
}  // namespace ichor
