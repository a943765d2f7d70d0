#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "yaml/node.h"

namespace ichor {

/// What Talos' own YAML reader takes a scalar for. It differs from the core schema of YAML 1.2
/// where that reader is laxer: 0755 and 0b11 are numbers, 1_000 is one, -0 is none.
struct GoScalar {
  enum class Type { null, boolean, integer, large, floating, text };
  Type type{Type::null};
  bool flag{false};
  std::int64_t integer{0};
  std::uint64_t large{0};  // above what fits into `integer`
  double floating{0};
};

GoScalar read_go_scalar(const yaml::Node& node);

/// Whether Talos' YAML reader takes a scalar for a date: 2026-01-31, also with a time behind it.
bool is_go_date(std::string_view text);

/// The number as Go writes it: "1", "0.5", "1e+21".
std::string write_go_float(double number);

/// "1h30m", "300ms", "0", "-5s" with nothing around it; nullopt otherwise and beyond 292 years.
std::optional<Duration> parse_go_duration(std::string_view text);
/// "1m30s", "500ms", "0s": the normal form.
std::string write_go_duration(Duration duration);

/// "10GiB", "1.5 GB", "1,024": bytes with a unit of 1000 or 1024; nullopt otherwise.
std::optional<std::uint64_t> parse_byte_count(std::string_view text);
/// "10 GB", "1.5 kB": rounded to what a person reads.
std::string write_byte_count(std::uint64_t bytes);

}  // namespace ichor
