#pragma once

#include <cstddef>
#include <string_view>

namespace ichor {

/// One character of UTF-8 as RFC 3629 has it.
struct Rune {
  std::size_t size{0};  // bytes; zero: the text does not start with a character
  char32_t code{0};
};

/// The first character of a text that is not empty.
Rune first_rune(std::string_view bytes);

/// Whether `bytes` is UTF-8 from end to end.
bool is_utf8(std::string_view bytes);

}  // namespace ichor
