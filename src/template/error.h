#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace ichor::jinja {

/// Where something stands in a template, counted from 1 in characters, as editors do. `file`
/// belongs to the source that was read and lives as long as the rendering does; null: no place is
/// known.
struct Position {
  const std::string* file{nullptr};
  int line{0};
  int column{0};
};

/// Why an operation on values failed. It names types, variables and places, never a value: a value
/// may be a secret.
struct Trouble {
  std::string what;
  std::string fix;
  Position at;                   // filled in by the innermost expression that knows its place
  std::string missing_variable;  // its near names are looked for where the variables are known
  /// A name that came out of a value. It is added to `what` if a template has it in its text: then
  /// it is not a secret.
  std::string doubtful_name;
};

template <class T>
using Outcome = tl::expected<T, Trouble>;

inline tl::unexpected<Trouble> trouble(std::string what, std::string fix = {}) {
  return tl::unexpected<Trouble>(Trouble{std::move(what), std::move(fix), {}, {}, {}});
}

}  // namespace ichor::jinja
