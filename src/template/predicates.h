#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "template/value.h"

namespace ichor::jinja {

class Interpreter;

/// One test: `input is name(argument)`.
struct Predicate {
  std::string_view name;
  std::size_t argument_count;  // none or one
  Outcome<bool> (*holds)(const Value& input, const Value& argument, Interpreter& interpreter);
};

/// Null if there is none of that name.
const Predicate* find_predicate(std::string_view name);
const std::vector<std::string_view>& predicate_names();

}  // namespace ichor::jinja
