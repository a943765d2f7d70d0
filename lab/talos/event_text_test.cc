#include "lab/talos/event_text.h"

#include <gtest/gtest.h>

namespace ichor::lab {
namespace {

TEST(EventTextTest, AnEventIdHasTheFormOfAnXidAndTellsTheEventsNumber) {
  const std::string id = event_id({1'763'235'998'500}, BootId("a boot"), 4711);
  EXPECT_EQ(id.size(), 20u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdefghijklmnopqrstuv"), std::string::npos);
  EXPECT_EQ(number_of(id), 4711u);
  EXPECT_FALSE(number_of("short"));
  EXPECT_FALSE(number_of("zzzzzzzzzzzzzzzzzzzz"));
}

TEST(EventTextTest, LaterEventsHaveGreaterIds) {
  EXPECT_LT(event_id({1'000'000}, BootId("b"), 9), event_id({2'000'000}, BootId("b"), 1));
}

TEST(EventTextTest, TimesAreWrittenAsGoWritesThem) {
  EXPECT_EQ(to_rfc3339({1'763'235'998'500}), "2025-11-15T19:46:38.500Z");
}

}  // namespace
}  // namespace ichor::lab
