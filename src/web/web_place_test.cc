#include "web/web_place.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(WebPlace, TakesAnAddressApart) {
  const auto whole = web_place("https://pve.example.org:8006/api2");
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->tls);
  EXPECT_EQ(whole->host, "pve.example.org");
  EXPECT_EQ(whole->port, 8006);
  EXPECT_EQ(whole->target, "/api2");
  const auto six = web_place("http://[fd00::1]");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->host, "fd00::1");
  EXPECT_EQ(six->port, 80);
  EXPECT_EQ(six->target, "/");
  EXPECT_EQ(web_place("https://[fd00::1]:8006")->port, 8006);
}

TEST(WebPlace, RefusesWhatIsNone) {
  for (const char* text : {"", "pve:8006", "https://", "https://pve:x", "https://pve:99999"}) {
    EXPECT_FALSE(web_place(text)) << text;
  }
}

}  // namespace
}  // namespace ichor
