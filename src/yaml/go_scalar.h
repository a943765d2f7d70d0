#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ichor::yaml {

/// What programs written in Go (talosctl, sops) take an unquoted YAML scalar for. It differs from
/// the core schema of YAML 1.2: dates are timestamps, 017 is octal, 1_000 is a number.
enum class GoType { null, string, integer, floating, boolean, time, too_large };

struct GoScalar {
  GoType type{GoType::string};
  /// The value in one form: True, 31, 1000, an RFC 3339 time.
  std::string text;
};

GoScalar resolve_go(std::string_view text);

/// A number that fits 64 bits, in decimal, with an optional sign.
std::optional<std::string> go_integer(std::string_view text);
/// The shortest decimal form of a number without an exponent, or NaN, +Inf, -Inf. A number that is
/// too large for a double gives nothing.
std::optional<std::string> go_float(std::string_view text);
/// A timestamp in the form of RFC 3339, without zeros at the end of its fraction.
std::optional<std::string> go_time(std::string_view text);
/// 1, t, T, TRUE, true, True and their opposites, as True or False.
std::optional<std::string> go_bool(std::string_view text);

/// A floating number in the form of go_float(), as Go's YAML and JSON libraries write it.
std::string yaml_float(std::string_view text);
/// Nothing for what JSON has no number for.
std::optional<std::string> json_float(std::string_view text);

}  // namespace ichor::yaml
