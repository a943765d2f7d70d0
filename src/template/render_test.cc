#include "template/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor::jinja {
namespace {
TEST(Render, Text) {
  auto r =
      render("a{{ 1 + 2 }}{% for i in range(3) %}{{ i }}{% endfor %}", "t.j2", Value::dict(), {});
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_EQ(r->text, "a3012");
}
}  // namespace
}  // namespace ichor::jinja
