#include "yaml/node.h"

#include <cmath>
#include <gtest/gtest.h>

#include "yaml/scalar.h"

namespace ichor::yaml {
namespace {

Node plain(std::string text) {
  Node node;
  node.kind = Kind::scalar;
  node.text = std::move(text);
  return node;
}

TEST(YamlNode, CoreSchemaTypes) {
  for (const char* text : {"", "~", "null", "Null", "NULL"}) {
    EXPECT_EQ(resolve_core(text), ScalarType::null) << text;
  }
  for (const char* text : {"true", "False", "TRUE"}) {
    EXPECT_EQ(resolve_core(text), ScalarType::boolean) << text;
  }
  for (const char* text : {"0", "-5", "+7", "0o17", "0x1F", "007"}) {
    EXPECT_EQ(resolve_core(text), ScalarType::integer) << text;
  }
  for (const char* text : {"1.5", ".5", "5.", "-1e3", "1.12", ".inf", "-.Inf", ".NaN"}) {
    EXPECT_EQ(resolve_core(text), ScalarType::floating) << text;
  }
  for (const char* text : {"yes", "no", "on", "off", "y", "tRUE", "0o8", "0xg", "1.2.3", "e3", "-",
                           "10.0.0.1", "1_000", "2024-01-01", "+.nan", "."}) {
    EXPECT_EQ(resolve_core(text), ScalarType::string) << text;
  }
}

TEST(YamlNode, ReadsIntegersWithinSixtyFourBits) {
  EXPECT_EQ(plain("9223372036854775807").as_int(), INT64_MAX);
  EXPECT_EQ(plain("-9223372036854775808").as_int(), INT64_MIN);
  EXPECT_EQ(plain("9223372036854775808").as_int(), std::nullopt);
  EXPECT_EQ(plain("0x1f").as_int(), 31);
  EXPECT_EQ(plain("0o644").as_int(), 420);
  EXPECT_EQ(plain("0644").as_int(), std::nullopt) << "octal for Go, decimal for YAML 1.2";
  EXPECT_EQ(plain("0").as_int(), 0);
  EXPECT_EQ(plain("1.0").as_int(), std::nullopt);
}

TEST(YamlNode, ReadsNumbers) {
  EXPECT_EQ(plain("1.5").as_double(), 1.5);
  EXPECT_EQ(plain("-2").as_double(), -2.0);
  EXPECT_EQ(plain("+1e3").as_double(), 1000.0);
  EXPECT_TRUE(std::isinf(*plain("-.inf").as_double()));
  EXPECT_TRUE(std::isnan(*plain(".NaN").as_double()));
  EXPECT_EQ(plain("x").as_double(), std::nullopt);
}

TEST(YamlNode, TextIsThereForEveryScalar) {
  EXPECT_EQ(plain("1.12").as_text(), "1.12");
  EXPECT_EQ(plain("1.12").as_string(), std::nullopt);
  EXPECT_EQ(plain("v1.12").as_string(), "v1.12");
  EXPECT_EQ(Node{}.as_text(), std::nullopt);
}

TEST(YamlNode, SaysWhatItIs) {
  EXPECT_EQ(describe(plain("5")), "an integer");
  EXPECT_EQ(describe(plain("x")), "a string");
  EXPECT_EQ(describe(Node{}), "nothing");
}

}  // namespace
}  // namespace ichor::yaml
