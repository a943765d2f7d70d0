#include "os/side_job.h"

#include <gtest/gtest.h>
#include <string>

namespace ichor {
namespace {

TEST(SideJob, WorksBesideTheOneWhoWaitsForTheResult) {
  std::promise<std::string> later;
  SideJob<std::string> job([&](const std::atomic<bool>&) { return later.get_future().get(); });
  later.set_value("made");
  EXPECT_EQ(job.take(), "made");
}

TEST(SideJob, GivesUpWhenTheResultIsNotWantedAnyMore) {
  bool ended = false;
  {
    const SideJob<int> job([&](const std::atomic<bool>& give_up) {
      while (!give_up) {
      }
      ended = true;
      return 0;
    });
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace ichor
