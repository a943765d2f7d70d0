#include "base/ip.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(Ip, ReadsBothFamilies) {
  EXPECT_EQ(to_text(*parse_ip("192.168.22.101")), "192.168.22.101");
  EXPECT_EQ(to_text(*parse_ip("FD00:0:0::1")), "fd00::1");
  for (const char* bad : {"", "192.168.22", "192.168.22.256", "192.168.022.1", "1.2.3.4 ",
                          "fe80::1%eth0", "::g", "1.2.3.4/8", "https://1.2.3.4"}) {
    EXPECT_FALSE(parse_ip(bad).has_value()) << bad;
  }
  EXPECT_FALSE(parse_ip(std::string_view("1.2.3.4\0x", 9)).has_value());
}

TEST(Cidr, KnowsItsEnds) {
  const auto nodes = parse_cidr("192.168.22.101/22");
  ASSERT_TRUE(nodes.has_value());
  EXPECT_EQ(to_text(first_of(*nodes)), "192.168.20.0");
  EXPECT_EQ(to_text(last_of(*nodes)), "192.168.23.255");
  EXPECT_TRUE(contains(*nodes, *parse_ip("192.168.23.254")));
  EXPECT_FALSE(contains(*nodes, *parse_ip("192.168.24.0")));
  EXPECT_FALSE(contains(*nodes, *parse_ip("::1")));
  EXPECT_TRUE(contains(*parse_cidr("0.0.0.0/0"), *parse_ip("255.255.255.255")));
  EXPECT_EQ(to_text(last_of(*parse_cidr("fd00::/64"))), "fd00::ffff:ffff:ffff:ffff");
  for (const char* bad : {"10.0.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/-1",
                          "/8", "10.0.0.0/8/8", "::/129"}) {
    EXPECT_FALSE(parse_cidr(bad).has_value()) << bad;
  }
}

TEST(Cidr, FindsOverlap) {
  const auto pods = *parse_cidr("10.42.0.0/16");
  EXPECT_FALSE(overlap(pods, *parse_cidr("10.43.0.0/16")));
  EXPECT_TRUE(overlap(pods, *parse_cidr("10.0.0.0/8")));
  EXPECT_TRUE(overlap(*parse_cidr("10.0.0.0/8"), pods));
  EXPECT_TRUE(overlap(pods, pods));
  EXPECT_FALSE(overlap(*parse_cidr("0.0.0.0/0"), *parse_cidr("::/0")));
}

TEST(Mac, IsNormalised) {
  EXPECT_EQ(normal_mac("52-54-00-AA-BB-01"), "52:54:00:aa:bb:01");
  for (const char* bad :
       {"", "52:54:00:aa:bb", "52:54:00:aa:bb:0g", "52:54-00:aa:bb:01", "525400aabb01"}) {
    EXPECT_EQ(normal_mac(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace ichor
