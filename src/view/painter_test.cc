#include "view/painter.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

/// As much of a terminal as the painter needs: lines, a cursor, and the four sequences it sends.
class Terminal {
 public:
  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const char next = bytes.front();
      bytes.remove_prefix(1);
      if (next == '\n') {
        if (++row_ == lines_.size()) lines_.emplace_back();
        column_ = 0;
      } else if (next == '\r') {
        column_ = 0;
      } else if (next == '\x1b') {
        obey(bytes);
      } else {
        lines_[row_].resize(std::max(lines_[row_].size(), column_ + 1), ' ');
        lines_[row_][column_++] = next;
      }
    }
  }
  std::string text() const {
    std::string all;
    for (const std::string& line : lines_) all += line + "|";
    return all;
  }

 private:
  void obey(std::string_view& bytes) {
    const std::size_t end = bytes.find_first_not_of("[?0123456789");
    const std::string_view arguments = bytes.substr(0, end);
    const char verb = bytes[end];
    bytes.remove_prefix(end + 1);
    if (verb == 'A') row_ -= static_cast<std::size_t>(std::stoi(std::string(arguments.substr(1))));
    if (verb == 'K') lines_[row_].resize(column_);
    if (verb == 'J') {
      lines_[row_].resize(column_);
      lines_.resize(row_ + 1);
    }
  }

  std::vector<std::string> lines_{{}};
  std::size_t row_{0}, column_{0};
};

TEST(Painter, DrawsFramesOverOneAnotherAndKeepsWhatStandsAbove) {
  Painter painter;
  Terminal terminal;
  terminal.feed(painter.paint({}, {"head 1s", "cp1 busy"}, 80));
  EXPECT_EQ(terminal.text(), "head 1s|cp1 busy||");
  terminal.feed(painter.paint({"cp1 was configured"}, {"head 2s", "cp1", "cp2"}, 80));
  EXPECT_EQ(terminal.text(), "cp1 was configured|head 2s|cp1|cp2||");
  terminal.feed(painter.paint({}, {"head"}, 80));
  EXPECT_EQ(terminal.text(), "cp1 was configured|head||");
  terminal.feed(painter.paint({}, {}, 80));
  EXPECT_EQ(terminal.text(), "cp1 was configured||");
}

TEST(Painter, CountsTheRowsIntoWhichANarrowerTerminalBrokeTheFrame) {
  Painter painter;
  painter.paint({}, {std::string(80, 'x'), "\x1b[32mgreen\x1b[0m"}, 80);
  const std::string bytes = painter.paint({}, {"x"}, 40);
  EXPECT_NE(bytes.find("\x1b[3A"), std::string::npos) << "two rows of x, one of green";
}

}  // namespace
}  // namespace ichor
