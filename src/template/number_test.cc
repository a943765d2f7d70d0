#include "template/number.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ichor::jinja {
namespace {

TEST(Number, FloatsPrintAsPythonPrintsThem) {
  EXPECT_EQ(float_text(1), "1.0");
  EXPECT_EQ(float_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(float_text(1e16), "1e+16");
  EXPECT_EQ(float_text(123456789012345.0), "123456789012345.0");
  EXPECT_EQ(float_text(0.0001), "0.0001");
  EXPECT_EQ(float_text(0.00001), "1e-05");
  EXPECT_EQ(float_text(-0.0), "-0.0");
}

RC_GTEST_PROP(Number, AFloatReadsBackAsItself, (double number)) {
  RC_ASSERT(read_float(float_text(number)) == number);
}

RC_GTEST_PROP(Number, FloorDivisionAndRemainderBelongTogether, (std::int64_t a, std::int64_t b)) {
  RC_PRE(b != 0 && b != -1);
  const auto quotient = calculate(Arithmetic::floor_divide, Value::integer(a), Value::integer(b));
  const auto rest = calculate(Arithmetic::modulo, Value::integer(a), Value::integer(b));
  RC_ASSERT(quotient->as_integer() * b + rest->as_integer() == a);
  RC_ASSERT(rest->as_integer() == 0 || (rest->as_integer() < 0) == (b < 0));
}

TEST(Number, TextsAreReadAsPythonReadsThem) {
  EXPECT_EQ(read_integer(" 1_000 "), 1000);
  EXPECT_EQ(read_integer("0x1f", 16), 31);
  EXPECT_EQ(read_integer("-0b11", 0), -3);
  EXPECT_EQ(read_integer("010"), 10);
  EXPECT_EQ(read_integer("010", 0), std::nullopt);
  EXPECT_EQ(read_integer("1__0"), std::nullopt);
  EXPECT_EQ(read_integer("--1"), std::nullopt);
  EXPECT_EQ(read_integer("99999999999999999999"), std::nullopt);
  EXPECT_EQ(read_float("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(read_float("1e-400"), 0.0);
  EXPECT_EQ(read_float("0x10"), std::nullopt);
}

TEST(Number, WhatDoesNotFitIntoSixtyFourBitsIsAnError) {
  const Value largest = Value::integer(std::numeric_limits<std::int64_t>::max());
  const Value smallest = Value::integer(std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(calculate(Arithmetic::add, largest, Value::integer(1)));
  EXPECT_FALSE(calculate(Arithmetic::multiply, largest, Value::integer(2)));
  EXPECT_FALSE(calculate(Arithmetic::floor_divide, smallest, Value::integer(-1)));
  EXPECT_FALSE(calculate(Arithmetic::power, Value::integer(10), Value::integer(19)));
  EXPECT_FALSE(negate(smallest));
  EXPECT_EQ(calculate(Arithmetic::power, Value::integer(-1), largest)->as_integer(), -1);
}

TEST(Number, IntegersAndFloatsAreComparedExactly) {
  EXPECT_EQ(order_of(Value::integer(9007199254740993), Value::floating(9007199254740992.0)), 1);
  EXPECT_EQ(order_of(Value::integer(1), Value::floating(1)), 0);
  EXPECT_EQ(order_of(Value::floating(1e300), Value::integer(5)), 1);
}

TEST(Number, HalvesAreRoundedToTheEvenNeighbour) {
  EXPECT_EQ(round_number(Value::floating(2.5), 0)->as_floating(), 2.0);
  EXPECT_EQ(round_number(Value::floating(2.675), 2)->as_floating(), 2.67);
  EXPECT_EQ(round_number(Value::integer(25), -1)->as_integer(), 20);
  EXPECT_EQ(round_number(Value::integer(-15), -1)->as_integer(), -20);
}

}  // namespace
}  // namespace ichor::jinja
