#pragma once

#include <optional>
#include <vector>

#include "template/object.h"

namespace ichor::jinja {

/// "network.addresses.0", as map, sort and their like take it: what to get of each item. Without an
/// attribute it is the item itself.
class AttributePath {
 public:
  static Outcome<AttributePath> of(const Value& attribute);
  /// "role,name": several, for sort.
  static Outcome<std::vector<AttributePath>> several(const Value& attribute);

  /// Undefined if an item lacks it, or `otherwise` if there is one.
  Outcome<Value> get(const Value& item, Interpreter& interpreter,
                     const std::optional<Value>& otherwise = std::nullopt) const;

 private:
  Items parts_;
};

/// Texts in lower case, for orders that ignore case.
Value folded(const Value& value);

}  // namespace ichor::jinja
