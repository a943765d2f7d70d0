#include "yaml/go_scalar.h"

#include <gtest/gtest.h>

namespace ichor::yaml {
namespace {

struct Case {
  const char* text;
  GoType type;
  const char* canonical;
};

TEST(GoScalar, MeansWhatGoTakesItFor) {
  for (const Case& one : {
           Case{"", GoType::null, ""},
           Case{"~", GoType::null, ""},
           Case{"yes", GoType::string, "yes"},
           Case{"TRUE", GoType::boolean, "True"},
           Case{"1", GoType::integer, "1"},
           Case{"+5", GoType::integer, "5"},
           Case{"-0", GoType::integer, "0"},
           Case{"1_000", GoType::integer, "1000"},
           Case{"017", GoType::integer, "15"},
           Case{"0o17", GoType::integer, "15"},
           Case{"0x1F", GoType::integer, "31"},
           Case{"0b101", GoType::integer, "5"},
           Case{"-0x10", GoType::integer, "-16"},
           Case{"08", GoType::floating, "8"},
           Case{"9223372036854775807", GoType::integer, "9223372036854775807"},
           Case{"-9223372036854775808", GoType::integer, "-9223372036854775808"},
           Case{"9223372036854775808", GoType::too_large, "9223372036854775808"},
           Case{"18446744073709551616", GoType::floating, "18446744073709552000"},
           Case{"2.0", GoType::floating, "2"},
           Case{"1e3", GoType::floating, "1000"},
           Case{".5", GoType::floating, "0.5"},
           Case{"1e-7", GoType::floating, "0.0000001"},
           Case{"1e400", GoType::string, "1e400"},
           Case{".inf", GoType::floating, "+Inf"},
           Case{"-.INF", GoType::floating, "-Inf"},
           Case{".NaN", GoType::floating, "NaN"},
           Case{".", GoType::string, "."},
           Case{"-", GoType::string, "-"},
           Case{"1.2.3", GoType::string, "1.2.3"},
           Case{"2024-01-31", GoType::time, "2024-01-31T00:00:00Z"},
           Case{"2024-1-2 3:4:5", GoType::time, "2024-01-02T03:04:05Z"},
           Case{"2024-01-02T03:04:05.120+02:00", GoType::time, "2024-01-02T03:04:05.12+02:00"},
           Case{"2024-01-02t03:04:05+00:00", GoType::time, "2024-01-02T03:04:05Z"},
           Case{"2024-02-29", GoType::time, "2024-02-29T00:00:00Z"},
           Case{"2023-02-29", GoType::string, "2023-02-29"},
           Case{"2024-01-02T03:04:05", GoType::string, "2024-01-02T03:04:05"},
           Case{"12:30", GoType::string, "12:30"},
       }) {
    const GoScalar scalar = resolve_go(one.text);
    EXPECT_EQ(scalar.type, one.type) << one.text;
    EXPECT_EQ(scalar.text, one.canonical) << one.text;
  }
}

TEST(GoScalar, NumbersAreWrittenAsGoWritesThem) {
  EXPECT_EQ(yaml_float("1234567"), "1.234567e+06");
  EXPECT_EQ(yaml_float("123456.5"), "123456.5");
  EXPECT_EQ(yaml_float("0.0000001"), "1e-07");
  EXPECT_EQ(yaml_float("-0"), "-0");
  EXPECT_EQ(yaml_float("+Inf"), ".inf");
  EXPECT_EQ(json_float("1234567"), "1234567");
  EXPECT_EQ(json_float("0.0000001"), "1e-7");
  EXPECT_EQ(json_float("1234567890123456800000"), "1.2345678901234568e+21");
  EXPECT_FALSE(json_float("NaN"));
}

}  // namespace
}  // namespace ichor::yaml
