#include "lab/net/real_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor::lab {

namespace {

using testing::HasSubstr;

// That it works where it may is shown by tests/lab/scan_test.py, which makes a namespace.
TEST(RealAddresses, AreRefusedOutsideOfANamespaceMadeForThem) {
  const auto refused = RealAddresses::on("lo");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::unsafe);
  EXPECT_THAT(refused.error().message, HasSubstr("ichor-lab"));
}

}  // namespace

}  // namespace ichor::lab
