#include "machineconfig/go_scalar.h"

#include <gtest/gtest.h>

#include "yaml/document.h"

namespace ichor {
namespace {

GoScalar scalar(std::string_view text) {
  return read_go_scalar(yaml::parse_single(text, "x")->root);
}

TEST(GoScalar, NumbersAreReadAsTalosReadsThem) {
  EXPECT_EQ(scalar("0755").integer, 493);
  EXPECT_EQ(scalar("0o755").integer, 493);
  EXPECT_EQ(scalar("0x1F").integer, 31);
  EXPECT_EQ(scalar("0b101").integer, 5);
  EXPECT_EQ(scalar("1_000").integer, 1000);
  EXPECT_EQ(scalar("+7").integer, 7);
  EXPECT_EQ(scalar("-9223372036854775808").integer, INT64_MIN);
  EXPECT_EQ(scalar("18446744073709551615").type, GoScalar::Type::large);
  EXPECT_EQ(scalar("-0").type, GoScalar::Type::floating);
  EXPECT_EQ(scalar("08").type, GoScalar::Type::floating);
  EXPECT_EQ(scalar("1.5").floating, 1.5);
  EXPECT_EQ(scalar("\"5\"").type, GoScalar::Type::text);
  EXPECT_EQ(scalar("5m").type, GoScalar::Type::text);
  EXPECT_EQ(scalar("1.2.3").type, GoScalar::Type::text);
  EXPECT_EQ(scalar("2026-01-01").type, GoScalar::Type::text);
  EXPECT_TRUE(scalar("True").flag);
  EXPECT_EQ(scalar("yes").type, GoScalar::Type::text);
}

TEST(GoScalar, FloatsAreWrittenAsGoWritesThem) {
  EXPECT_EQ(write_go_float(1.0), "1");
  EXPECT_EQ(write_go_float(0.25), "0.25");
  EXPECT_EQ(write_go_float(1e20), "100000000000000000000");
  EXPECT_EQ(write_go_float(1e21), "1e+21");
  EXPECT_EQ(write_go_float(1e-7), "1e-07");
}

TEST(GoScalar, DurationsHaveANormalForm) {
  const auto normal = [](std::string_view text) {
    const auto duration = parse_go_duration(text);
    return duration ? write_go_duration(*duration) : std::string("none");
  };
  EXPECT_EQ(normal("90s"), "1m30s");
  EXPECT_EQ(normal("1h"), "1h0m0s");
  EXPECT_EQ(normal("1.5h"), "1h30m0s");
  EXPECT_EQ(normal("1500ms"), "1.5s");
  EXPECT_EQ(normal("250us"), "250µs");
  EXPECT_EQ(normal("-5s"), "-5s");
  EXPECT_EQ(normal("0"), "0s");
  for (const char* wrong : {"", "5", "s", "1d", "1h 2m", ".s", "1..5s", "9999999999h"}) {
    EXPECT_EQ(normal(wrong), "none") << wrong;
  }
}

TEST(GoScalar, BytesHaveUnitsOf1000And1024) {
  EXPECT_EQ(parse_byte_count("10GB"), 10'000'000'000u);
  EXPECT_EQ(parse_byte_count("1 GiB"), 1u << 30);
  EXPECT_EQ(parse_byte_count("1,024"), 1024u);
  EXPECT_EQ(parse_byte_count("1.5k"), 1500u);
  EXPECT_FALSE(parse_byte_count("big"));
  EXPECT_FALSE(parse_byte_count("10XB"));
  EXPECT_FALSE(parse_byte_count("99EB"));
  EXPECT_EQ(write_byte_count(10'000'000'000u), "10 GB");
  EXPECT_EQ(write_byte_count(1'500'000'000u), "1.5 GB");
  EXPECT_EQ(write_byte_count(5), "5 B");
}

}  // namespace
}  // namespace ichor
