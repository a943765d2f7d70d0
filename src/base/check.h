#pragma once

#include <source_location>
#include <string_view>

namespace ichor {

/// Ends the process with file, line and `what`. Reserved for our own mistakes; what the world does
/// wrong is a Result.
[[noreturn]] void check_failed(std::string_view what, std::source_location where);

/// An assertion that stays on in release builds. Write two checks rather than one with `&&`, so
/// that the message says which half was false.
inline void check(bool holds, std::string_view what = {},
                  std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    check_failed(what, where);
}

}  // namespace ichor
