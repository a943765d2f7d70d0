#include "machineconfig/validate/address.h"

#include <gtest/gtest.h>

namespace ichor::validate {

namespace {

TEST(ConfigAddress, EachReaderOfTalosHasItsOwnMind) {
  EXPECT_TRUE(is_plain_ip("10.0.0.1"));
  EXPECT_FALSE(is_plain_ip("fe80::1%eth0"));
  EXPECT_TRUE(is_ip("fe80::1%eth0"));
  EXPECT_FALSE(is_ip("10.0.0.1%eth0"));
  EXPECT_TRUE(is_lax_cidr("10.0.0.0/08"));
  EXPECT_FALSE(is_cidr("10.0.0.0/08"));
  EXPECT_TRUE(is_subnet_filter("!10.0.0.0/8"));
  EXPECT_FALSE(is_subnet_filter("!!10.0.0.0/8"));
  EXPECT_TRUE(is_address_with_length("10.0.0.1"));
  EXPECT_FALSE(is_address_with_length("10.0.0.1/33"));
}

TEST(ConfigAddress, HostAndPortAreSplitAtTheLastColon) {
  EXPECT_EQ(split_host_port("[fd00::1]:5")->host, "fd00::1");
  EXPECT_EQ(split_host_port(":5")->port, "5");
  for (const char* const text : {"", "a", "fd00::1:5", "[a]b:5", "[a:5", "a]:5", "[[a]]:5"}) {
    EXPECT_FALSE(split_host_port(text)) << text;
  }
}

TEST(ConfigAddress, AnEndpointNamesAHost) {
  for (const char* const url : {"https://x", "https://[fd00::1]:6443/a", "http://a:1?q#f"}) {
    EXPECT_EQ(endpoint_trouble(url), "") << url;
  }
  for (const char* const url : {"x", "https://", "https://:1", "https://x:0", "https://x:70000"}) {
    EXPECT_NE(endpoint_trouble(url), "") << url;
  }
}

}  // namespace

}  // namespace ichor::validate
