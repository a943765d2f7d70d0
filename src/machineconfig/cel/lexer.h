#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machineconfig/cel/syntax.h"

namespace ichor::cel {

struct Token {
  enum class Kind { end, word, escaped, integer, unsigned_integer, floating, text, bytes, sign };
  Kind kind{Kind::end};
  std::size_t at{0};
  std::string text;  // of a text: nothing, because types do not depend on it
};

/// The tokens of an expression, with one of kind `end` behind them.
tl::expected<std::vector<Token>, Problem> tokens_of(std::string_view text);

}  // namespace ichor::cel
