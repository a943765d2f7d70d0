#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "template/error.h"
#include "template/syntax.h"
#include "template/value.h"

namespace ichor::jinja {

enum class TokenKind {
  data,  // text outside of all tags
  variable_begin,
  variable_end,
  block_begin,
  block_end,
  name,
  string,
  number,
  sign,  // operators and brackets: `text` says which
  end,   // of the template
};

struct Token {
  TokenKind kind{TokenKind::end};
  std::string text;  // data, name, sign
  Value value;       // string, number
  Position at;
  std::size_t offset{0};  // in the source
};

/// Splits a template into tokens. Comments, raw blocks and white space control are dealt with here:
/// data tokens hold what is left of the text. Line ends become \n, and one trailing newline is cut
/// off unless the syntax keeps it.
///
/// `source` gets the text that positions and offsets refer to; it and `file` must outlive the
/// tokens.
Outcome<std::vector<Token>> tokenize(std::string_view text, const std::string& file,
                                     const Syntax& syntax, std::string& source);

}  // namespace ichor::jinja
