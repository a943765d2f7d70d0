#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "template/meter.h"

namespace ichor::jinja {

/// str.replace(): `count` below zero replaces all. An empty `old` stands between all characters.
Outcome<std::string> replace_text(std::string_view text, std::string_view old,
                                  std::string_view with, std::int64_t count, Meter& meter);

/// str.split(separator) and rsplit(): at most `count` cuts, from the left or from the right; below
/// zero all.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator,
                                       std::int64_t count, bool from_right);

/// Breaks one line into several of at most `width` characters, as Python's textwrap does.
struct WrapOptions {
  std::size_t width{79};
  bool break_long_words{true};
  bool break_on_hyphens{true};
};
std::vector<std::string> wrap_line(std::string_view line, const WrapOptions& options);

/// str.center(): the text in the middle of `width` characters.
Outcome<std::string> center_text(std::string_view text, std::int64_t width, std::string_view fill,
                                 Meter& meter);

}  // namespace ichor::jinja
