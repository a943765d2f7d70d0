#include "talos/wire_text.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(WireText, KeepsWhatPeopleWrite) {
  EXPECT_EQ(clean_text("etcd not running"), "etcd not running");
  EXPECT_EQ(clean_text("Übergröße 漢字 🙂"), "Übergröße 漢字 🙂");
}

TEST(WireText, TakesTheTeethOutOfEscapeSequences) {
  EXPECT_EQ(clean_text("\x1b[2Jgone"), "[2Jgone");
  EXPECT_EQ(clean_text("a\u009bb\x7f"), "ab");
  EXPECT_EQ(clean_text(std::string_view("a\0b", 3)), "ab");
  EXPECT_EQ(clean_text("two\nlines\tand\ra tab"), "two lines and a tab");
}

TEST(WireText, DropsMarksThatTurnOrHideText) {
  EXPECT_EQ(clean_text("rm \u202egnp.exe\u202c"), "rm gnp.exe");
  EXPECT_EQ(clean_text("a\u2066b\u2069c\u200fd\u061ce"), "abcde");
  EXPECT_EQ(clean_text("cp\u200b1\ufeff"), "cp1");
  EXPECT_EQ(clean_text("one\u2028two"), "onetwo");
}

TEST(WireText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(clean_text("a\xff\xc3 b"), "a?? b");
  EXPECT_EQ(clean_text("\xed\xa0\x80"), "???");  // a surrogate
  EXPECT_EQ(clean_text("\xc0\xaf"), "??");       // an overlong slash
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));     // beyond the last code point
}

TEST(WireText, CutsBetweenCharacters) {
  EXPECT_EQ(clean_text("äää", 5), "ää");
  EXPECT_EQ(clean_text(std::string(10'000, 'x')).size(), 4096u);
}

}  // namespace
}  // namespace ichor
