#include "base/clean_text.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace ichor {
namespace {

TEST(CleanText, KeepsWordsInAnyScript) {
  EXPECT_EQ(clean_text("etcd not running"), "etcd not running");
  EXPECT_EQ(clean_text("Übergröße 漢字 🙂"), "Übergröße 漢字 🙂");
}

TEST(CleanText, LetsNothingMoveTheCursor) {
  EXPECT_EQ(clean_text("\x1b[2Jgone"), "gone");
  EXPECT_EQ(clean_text("a\x1b]0;title\x07z"), "az");
  EXPECT_EQ(clean_text("a\u009d0;title\x1b\\z"), "az");
  EXPECT_EQ(clean_text("a\x1bP1;2|secret\u009cz"), "az");
  EXPECT_EQ(clean_text("a\x1b(Bb\x1b=c"), "abc");
  EXPECT_EQ(clean_text("a\u009b31mb\x7f"), "ab");
  EXPECT_EQ(clean_text("a\x1b\x1b[31mb"), "ab");
  EXPECT_EQ(clean_text(std::string_view("a\0b", 3)), "ab");
  EXPECT_EQ(clean_text("two\nlines\tand\ra tab"), "two lines and a tab");
}

TEST(CleanText, HasNoMarksThatMisleadAReader) {
  EXPECT_EQ(clean_text("rm \u202egnp.exe\u202c"), "rm gnp.exe");
  EXPECT_EQ(clean_text("a\u2066b\u2069c\u200fd\u061ce"), "abcde");
  EXPECT_EQ(clean_text("cp\u200b1\ufeff"), "cp1");
  EXPECT_EQ(clean_text("one\u2028two"), "onetwo");
  EXPECT_EQ(clean_text("ta\U000E0041g\U000E007Fs"), "tags");
  EXPECT_EQ(clean_text("fil\u3164ler\ufe0f\U000E0100\u00ad"), "filler");
}

TEST(CleanText, ShowsWhatIsNotUtf8) {
  EXPECT_EQ(clean_text("a\xff\xc3 b"), "a?? b");
  EXPECT_EQ(clean_text("\xed\xa0\x80"), "???");  // a surrogate
  EXPECT_EQ(clean_text("\xc0\xaf"), "??");       // an overlong slash
  EXPECT_EQ(clean_text("\x9b[31m"), "?[31m");    // a C1 byte that is no character
}

TEST(CleanText, HasALimitAndNeverCutsACharacter) {
  EXPECT_EQ(clean_text("äää", 5), "ää");
  EXPECT_EQ(clean_text(std::string(10'000, 'x')).size(), 4096u);
}

TEST(CleanLines, KeepTheirLinesAndNothingElse) {
  EXPECT_EQ(clean_lines("a: 1\n\tb\r\nc\rd\n"), "a: 1\n\tb\nc d\n");
  EXPECT_EQ(clean_lines("x\x1b]2;never ended\nnext\u202e\n"), "x\nnext\n");
  EXPECT_EQ(clean_lines(std::string(10'000, 'x')).size(), 10'000u);
}

TEST(CleanLines, LeaveACleanTextAsItIs) {
  EXPECT_TRUE(is_clean("a: ü\n\tb 🙂\n"));
  for (const char* text : {"\x1b", "a\rb", "\u202e", "\u200b", "\U000E0041", "\x80", "\x7f"}) {
    EXPECT_FALSE(is_clean(text)) << text;
    EXPECT_TRUE(is_clean(clean_lines(text))) << text;
    EXPECT_TRUE(is_clean(clean_text(text))) << text;
  }
}

TEST(Utf8, IsRead) {
  EXPECT_EQ(first_rune("ä").code, 0xE4u);
  EXPECT_EQ(first_rune("🙂").size, 4u);
  EXPECT_EQ(first_rune("\x80").size, 0u);
  EXPECT_TRUE(is_utf8("漢字"));
  EXPECT_FALSE(is_utf8("a\xf5"));
}

}  // namespace
}  // namespace ichor
