#pragma once

#include <string_view>

namespace ichor {

/// Whether a value out of a file may stand among the arguments of a program: a value that starts
/// with "-" would be read as a flag (`--post-renderer=...` of helm runs a program), and a control
/// character has no place in a name, a path or a version.
bool is_argument_value(std::string_view value);

/// The same for a chart: the last part of its path becomes an argument of its own, so none of its
/// parts may start with "-".
bool is_chart_argument(std::string_view chart);

/// What is_argument_value() asks for, for messages: "X must be ...".
inline constexpr std::string_view kArgumentValue =
    "a value without a leading - or control characters";

}  // namespace ichor
