#include "template/unicode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ichor::jinja {
namespace {

using testing::ElementsAre;

TEST(Unicode, BytesThatAreNoTextAreFound) {
  EXPECT_EQ(find_bad_utf8("grün €😀"), std::nullopt);
  EXPECT_EQ(find_bad_utf8("ab\xff"), 2u);
  EXPECT_EQ(find_bad_utf8("\xc0\x80"), 0u);          // overlong
  EXPECT_EQ(find_bad_utf8("x\xed\xa0\x80"), 1u);     // a surrogate
  EXPECT_EQ(find_bad_utf8("\xf4\x90\x80\x80"), 0u);  // beyond the last code point
  EXPECT_EQ(find_bad_utf8("\xe2\x82"), 0u);          // cut off
}

TEST(Unicode, TextsAreCountedAndCutInCodePoints) {
  EXPECT_EQ(count_points("grün€"), 5u);
  EXPECT_EQ(slice_points("grün€", 2, 4), "ün");
  EXPECT_EQ(slice_points("ab", 1, 9), "b");
}

TEST(Unicode, CaseIsMappedBeyondAscii) {
  EXPECT_EQ(to_upper("straße ÿ привет"), "STRASSE Ÿ ПРИВЕТ");
  EXPECT_EQ(to_lower("ΟΔΟΣ Ä"), "οδος ä");
  EXPECT_EQ(to_title("it's o-k"), "It'S O-K");
  EXPECT_EQ(to_capitalized("éCOLE"), "École");
}

TEST(Unicode, LinesAndWordsAreSplitAsInPython) {
  EXPECT_THAT(split_lines("a\r\nb\rc\n\nd"), ElementsAre("a", "b", "c", "", "d"));
  EXPECT_THAT(split_lines("a\n", true), ElementsAre("a\n"));
  EXPECT_THAT(split_words(" a\t\u00a0b "), ElementsAre("a", "b"));
  EXPECT_EQ(strip("\u2003 x\n"), "x");
  EXPECT_EQ(strip("xxaxx", "x", Side::left), "axx");
}

RC_GTEST_PROP(Unicode, PointsMakeTheirTextAgain, (std::vector<char32_t> points)) {
  std::string text;
  for (char32_t& point : points) {
    point %= 0x110000;
    if (point >= 0xD800 && point <= 0xDFFF) point = 'x';
    append_point(text, point);
  }
  RC_ASSERT(is_utf8(text));
  RC_ASSERT(to_points(text) == points);
  RC_ASSERT(count_points(text) == points.size());
}

}  // namespace
}  // namespace ichor::jinja
