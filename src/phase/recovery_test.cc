#include "phase/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::HasSubstr;

TEST(Recovery, EveryStageHasACommandThatNamesTheNode) {
  NodePlan plan;
  plan.name = NodeName("cp7");
  plan.address = IpAddress("192.0.2.7");
  for (int stage = 0; stage <= static_cast<int>(Stage::upgrading); ++stage) {
    const std::string text = recovery_for(plan, static_cast<Stage>(stage));
    EXPECT_TRUE(text.find("cp7") != std::string::npos ||
                text.find("192.0.2.7") != std::string::npos)
        << stage;
    EXPECT_THAT(text, HasSubstr("`")) << stage;
  }
  EXPECT_THAT(recovery_for(plan, Stage::booting), HasSubstr("`talosctl -n 192.0.2.7 services`"));
}

}  // namespace
}  // namespace ichor
