#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "template/meter.h"
#include "template/object.h"

namespace ichor::jinja {

/// A parameter of a filter, method or function. `rest` takes whatever is left, named or not.
struct Parameter {
  enum class Need { optional, required, rest };
  std::string_view name;
  Need need{Need::optional};
};
using Parameters = std::vector<Parameter>;

/// What a filter, method or function was given, in the order of its parameters.
class Given {
 public:
  std::vector<std::optional<Value>> values;
  Arguments rest;

  bool has(std::size_t i) const { return i < values.size() && values[i].has_value(); }
  /// The value of a parameter, or None.
  Value value(std::size_t i) const { return has(i) ? *values[i] : Value::none(); }
  bool is_none(std::size_t i) const { return value(i).is_none(); }

  // The value as a type, or what it is if it was not given. Each fails for another type.
  Outcome<std::int64_t> integer(std::size_t i, std::int64_t otherwise) const;
  Outcome<bool> flag(std::size_t i, bool otherwise) const;
  /// A text that must be one.
  Outcome<std::string> text(std::size_t i, std::string_view otherwise) const;
  /// The text that any value prints as.
  Outcome<std::string> printed(std::size_t i, std::string_view otherwise, Meter& meter) const;
};

/// Puts arguments to parameters. `kind` and `name` are for messages: "filter", "indent".
Outcome<Given> bind_arguments(const Arguments& arguments, const Parameters& parameters,
                              std::string_view kind, std::string_view name);

}  // namespace ichor::jinja
