#include "base/url.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(HostOf, IsWhatStandsBetweenSchemeAndPort) {
  EXPECT_EQ(host_of("https://192.168.22.100:6443"), "192.168.22.100");
  EXPECT_EQ(host_of("https://api.example/path"), "api.example");
  EXPECT_EQ(host_of("api.example:6443"), "api.example");
  EXPECT_EQ(host_of("https://[fd00::1]:6443"), "fd00::1");
}

}  // namespace
}  // namespace ichor
