#include "model/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::string_view text, JsonLimits limits = {}) {
  const auto tree = parse_json(text, limits);
  return tree ? "taken" : tree.error().message;
}

TEST(Json, IsTakenWithinItsLimits) {
  const auto tree = parse_json(R"({"kind":"Status","n":[1,2,{"a":"[[[["}],"code":404})");
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(text_in(*tree, "kind"), "Status");
  EXPECT_EQ(text_in(*tree, "code"), "");
  EXPECT_EQ(text_in((*tree)["n"], "kind"), "");
  EXPECT_THAT(refusal("{"), HasSubstr("not JSON"));
}

TEST(Json, ThatIsNestedDeepIsRefusedBeforeItIsBuilt) {
  const std::size_t depth = 100'000;
  EXPECT_THAT(refusal(std::string(depth, '[') + std::string(depth, ']')), HasSubstr("64 levels"));
  std::string objects;
  for (std::size_t i = 0; i < depth; ++i) objects += R"({"a":)";
  EXPECT_THAT(refusal(objects), HasSubstr("64 levels"));
  const std::string fits = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(refusal(fits), "taken");
}

TEST(Json, ThatWouldTakeMuchMemoryIsRefusedBeforeItIsBuilt) {
  std::string text = "[";
  while (text.size() < 7u << 20) text += "{},";
  text += "{}]";
  EXPECT_THAT(refusal(text), HasSubstr("96 MiB of memory"));
  EXPECT_THAT(refusal(std::string(9u << 20, ' ')), HasSubstr("more than 8 MiB"));
}

TEST(Json, WeighsAtLeastWhatTheLimitsCount) {
  std::string text = "[";
  for (int i = 0; i < 1'000; ++i) text += R"({"name":"a long text of some forty characters"},)";
  text += "null]";
  const auto tree = parse_json(text);
  ASSERT_TRUE(tree);
  EXPECT_GT(json_weight(*tree), 1'000u * 150);
  EXPECT_LT(json_weight(*tree), 1'000u * 400);
}

}  // namespace
}  // namespace ichor
