#include "command/finish.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(WithProfile, CommandsThatNeedTheProfileNameIt) {
  EXPECT_EQ(with_profile("mend it, then `ichor up` or `ichor reset w1 --all`", "infra.yaml"),
            "mend it, then `ichor up -p infra.yaml` or `ichor reset -p infra.yaml w1 --all`");
}

TEST(WithProfile, OthersAndTheDefaultStayAsTheyAre) {
  EXPECT_EQ(with_profile("`ichor doctor E4` and ichor up", "infra.yaml"),
            "`ichor doctor E4` and ichor up");
  EXPECT_EQ(with_profile("`ichor up`", "ichor.yaml"), "`ichor up`");
}

}  // namespace
}  // namespace ichor
