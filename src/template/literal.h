#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "template/value.h"

namespace ichor::jinja {

/// A number at the start of a text, as a template writes it: 12, 1_000, 0x1f, 0o17, 0b1, 1.5, 2e3.
struct NumberLiteral {
  std::size_t size{0};
  std::optional<Value> value;  // nothing: too large for 64 bits
};
/// After a dot, as in `list.1.5`, there are only integers.
std::optional<NumberLiteral> number_at(std::string_view text, bool after_dot);

/// How many bytes of a name stand at the start of the text.
std::size_t name_size(std::string_view text);

/// The text between quotes with its escapes resolved. Unknown escapes stay as they are.
Outcome<std::string> unescape(std::string_view text);

}  // namespace ichor::jinja
