#include "base/time.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

using namespace std::chrono_literals;

TEST(Time, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(to_text(Duration(350ms)), "350ms");
  EXPECT_EQ(to_text(Duration(1500ms)), "1.5s");
  EXPECT_EQ(to_text(Duration(12s)), "12s");
  EXPECT_EQ(to_text(Duration(125s)), "2m05s");
  EXPECT_EQ(to_text(Duration(3h + 4min)), "3h04m");
  EXPECT_EQ(to_text(Duration(-2s)), "-2s");
}

TEST(Time, LaterStopsAtNever) {
  EXPECT_EQ(later(MonoTime(1s), 2s), MonoTime(3s));
  EXPECT_EQ(later(MonoTime(1s), Duration::max()), kNever);
  EXPECT_EQ(later(kNever, 1s), kNever);
}

}  // namespace
}  // namespace ichor
