#include "view/cells.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ichor {
namespace {

TEST(Clean, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(clean("cp1 läuft – 节点 🙂"), "cp1 läuft – 节点 🙂");
}

TEST(Clean, TakesEscapeSequencesOutWhole) {
  EXPECT_EQ(clean("a\x1b[31mred\x1b[0mb"), "aredb");
  EXPECT_EQ(clean("a\x1b]0;title\x07"
                  "b"),
            "ab");
  EXPECT_EQ(clean("a\x1b]52;c;ZXZpbA==\x1b\\b"), "ab");
  EXPECT_EQ(clean("a\x1bPq#0\x1b\\b"), "ab");
  EXPECT_EQ(clean("a\x1b(Bb"), "ab");
  EXPECT_EQ(clean("a\x1b"
                  "cb"),
            "ab")
      << "a terminal reset";
  EXPECT_EQ(clean("a\xC2\x9B"
                  "31mb"),
            "ab")
      << "CSI as one C1 character";
  EXPECT_EQ(clean("a\xC2\x9D"
                  "0;x\xC2\x9C"
                  "b"),
            "ab")
      << "OSC and ST as C1 characters";
  EXPECT_EQ(clean("a\x1b]0;never ended"), "a");
  EXPECT_EQ(clean("a\x1b"), "a");
}

TEST(Clean, MakesSpacesOfLineEndsAndDropsOtherControlCharacters) {
  EXPECT_EQ(clean("one\r\ntwo\tthree\b\x7f"), "one  two three");
  EXPECT_EQ(clean(std::string_view("a\0b", 3)), "ab");
  EXPECT_EQ(clean("a\xC2\x85"
                  "b"),
            "ab")
      << "NEL";
  EXPECT_EQ(clean("a\xE2\x80\xA8"
                  "b"),
            "ab")
      << "line separator";
}

TEST(Clean, DropsMarksThatReorderText) {
  EXPECT_EQ(clean("user\xE2\x80\xAEgnp.exe"), "usergnp.exe");
}

TEST(Clean, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(clean("a\xFFz"), "a?z");
  EXPECT_EQ(clean("\xC0\xAF"), "??") << "overlong slash";
  EXPECT_EQ(clean("\xED\xA0\x80"), "???") << "surrogate";
  EXPECT_EQ(clean("\xE2\x82"), "??") << "cut short";
}

RC_GTEST_PROP(Clean, LeavesNothingThatATerminalObeys, (const std::string& text)) {
  const std::string safe = clean(text);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const auto byte = static_cast<unsigned char>(safe[i]);
    RC_ASSERT(byte >= 0x20 && byte != 0x7F);
    const bool c1 =
        byte == 0xC2 && i + 1 < safe.size() && static_cast<unsigned char>(safe[i + 1]) < 0xA0;
    RC_ASSERT(!c1);
  }
  RC_ASSERT(clean(safe) == safe);
}

TEST(Fit, MakesExactlyTheWidth) {
  EXPECT_EQ(fit("cp1", 6), "cp1   ");
  EXPECT_EQ(fit("controlplane", 6), "contr…");
  EXPECT_EQ(fit("节点机", 6), "节点机");
  EXPECT_EQ(fit("节点机器", 6), "节点… ") << "half a wide character does not fit";
  EXPECT_EQ(fit("e\xCC\x81t\xC3\xA9", 4), "e\xCC\x81t\xC3\xA9 ");
  EXPECT_EQ(fit("x", 0), "");
}

RC_GTEST_PROP(Fit, NeverTakesMoreOrFewerColumns, (const std::string& text)) {
  const int width = *rc::gen::inRange(0, 40);
  RC_ASSERT(cell_count(fit(clean(text), width)) == width);
}

}  // namespace
}  // namespace ichor
