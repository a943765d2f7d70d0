#include "view/clean_stream.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ichor {
namespace {

TEST(CleanStream, PassesLinesOnWithoutWhatATerminalObeys) {
  std::ostringstream behind;
  CleanStream stream(behind);
  stream << "- name: \x1b[31mred\x1b[0m" << '\n' << "next \u202eline\U000E0041\n";
  EXPECT_EQ(behind.str(), "- name: red\nnext line\n");
}

TEST(CleanStream, SeesASequenceThatComesInPieces) {
  std::ostringstream behind;
  CleanStream stream(behind);
  stream << "a\x1b"
         << "[2"
         << "Jb"
         << "\xe2\x80"
         << "\xae" << 'c' << '\n';
  EXPECT_EQ(behind.str(), "abc\n");
}

TEST(CleanStream, HoldsTheLastLineUntilItIsFlushed) {
  std::ostringstream behind;
  CleanStream stream(behind);
  stream << "no end";
  EXPECT_EQ(behind.str(), "");
  stream << std::flush;
  EXPECT_EQ(behind.str(), "no end");
}

}  // namespace
}  // namespace ichor
