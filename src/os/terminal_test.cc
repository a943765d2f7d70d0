#include "os/terminal.h"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ichor {
namespace {

/// A terminal of its own, whatever the test runs in.
class TerminalTest : public ::testing::Test {
 protected:
  TerminalTest() : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(::grantpt(master_), 0);
    EXPECT_EQ(::unlockpt(master_), 0);
    terminal_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    ::setenv("TERM", "xterm", 1);
  }
  ~TerminalTest() override {
    ::close(terminal_);
    ::close(master_);
  }
  void resize(unsigned short columns, unsigned short rows) {
    const winsize window{rows, columns, 0, 0};
    ASSERT_EQ(::ioctl(master_, TIOCSWINSZ, &window), 0);
  }
  int master_, terminal_{-1};
};

TEST_F(TerminalTest, TellsItsSizeAlsoAfterAResize) {
  resize(120, 50);
  EXPECT_EQ(terminal_size(terminal_)->columns, 120);
  resize(80, 24);
  EXPECT_EQ(terminal_size(terminal_)->columns, 80);
  EXPECT_EQ(terminal_size(terminal_)->rows, 24);
}

TEST_F(TerminalTest, IsNoneWhereItCannotMoveItsCursor) {
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(terminal_size(terminal_).has_value());
}

TEST_F(TerminalTest, IsNoneWhereItIsAFile) {
  const int file = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  EXPECT_FALSE(terminal_size(file).has_value());
  ::close(file);
}

TEST(WantsColor, ListensToNoColor) {
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_color());
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(wants_color()) << "set but empty means nothing";
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(wants_color());
}

}  // namespace
}  // namespace ichor
