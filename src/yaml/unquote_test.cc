#include "yaml/unquote.h"

#include <gtest/gtest.h>

namespace ichor::yaml {
namespace {

TEST(YamlUnquote, ReadsEscapes) {
  EXPECT_EQ(unquote_double(R"(a\tb\"\\\/\x41\u00e4\U0001F389\e)"),
            "a\tb\"\\/A\u00e4\U0001F389\x1b");
  EXPECT_EQ(unquote_double(R"(\q)"), std::nullopt);
  EXPECT_EQ(unquote_double(R"(\x4)"), std::nullopt);
  EXPECT_EQ(unquote_double("a\\"), std::nullopt);
}

TEST(YamlUnquote, FoldsLines) {
  EXPECT_EQ(unquote_double("a  \n  b"), "a b");
  EXPECT_EQ(unquote_double("a\r\n\r\n  b"), "a\nb");
  EXPECT_EQ(unquote_double("a \\\n  b"), "a b");
  EXPECT_EQ(unquote_double("a\\\\\\\n  bcd"), "a\\bcd");
  EXPECT_EQ(unquote_double("a\\ \n b"), "a  b");
}

TEST(YamlUnquote, SingleQuotesHaveNoEscapes) {
  EXPECT_EQ(unquote_single("it''s \\n"), "it's \\n");
  EXPECT_EQ(unquote_single("a \n\n  b\n c"), "a\nb c");
}

}  // namespace
}  // namespace ichor::yaml
