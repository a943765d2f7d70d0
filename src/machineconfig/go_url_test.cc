#include "machineconfig/go_url.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(GoUrl, WhatIsReadIsWrittenAgain) {
  for (const char* text : {"https://10.0.0.1:6443", "https://[fd00::1]:6443/a/b?c=d#e",
                           "udp://h:1/", "file:///x", "mailto:a", "/path", "https://u:p@h/x?"}) {
    ASSERT_TRUE(parse_go_url(text)) << text;
    EXPECT_EQ(write_go_url(*parse_go_url(text)), text);
  }
  EXPECT_EQ(write_go_url(*parse_go_url("HTTPS://Host/a b")), "https://Host/a%20b");
}

TEST(GoUrl, RefusesWhatGoRefuses) {
  for (const char* text : {"10.0.0.1:6443", ":x", "https://h:x", "https://h%zz", "https://a b/",
                           "https://[fd00::1", "https://h/%1", "a\nb", "https://a:1:2"}) {
    EXPECT_FALSE(parse_go_url(text)) << text;
  }
}

TEST(GoUrl, MergesPartByPart) {
  const auto merged = [](const char* left, const char* right) {
    const auto url = merge_go_urls(*parse_go_url(left), *parse_go_url(right));
    return url ? write_go_url(*url) : std::string("none");
  };
  EXPECT_EQ(merged("https://a:1/path?q", "http://b"), "http://b/path?q");
  EXPECT_EQ(merged("https://a/x", "https://a/y"), "https://a/y");
  EXPECT_EQ(merged("https://u@a", "https://v@a"), "none");
}

}  // namespace
}  // namespace ichor
