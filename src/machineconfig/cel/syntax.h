#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machineconfig/cel/type.h"

namespace ichor::cel {

/// A part of an expression. What the parts mean depends on the kind.
struct Expression {
  enum class Kind {
    literal,  // of type `type`
    name,
    select,           // parts[0].text
    optional_select,  // parts[0].?text
    has,              // has(parts[0].text)
    call,             // text(parts…); operators have names such as "_+_"
    method,           // parts[0].text(parts[1]…)
    list,             // optional_parts are those written as ?value
    map,              // parts are key, value, key, value…
    object,           // text{fields…}: parts are the values of `fields`
    each,             // parts[0].text(variable, parts[1]…): all, exists, map, filter, optMap…
  };
  Kind kind{Kind::literal};
  std::size_t at{0};  // bytes from the beginning of the text
  std::string text;
  std::string variable;  // of `each`
  Type type;             // of `literal`
  std::vector<Expression> parts;
  std::vector<std::string> fields;
  std::vector<std::size_t> optional_parts;
};

/// What is wrong with an expression, and where.
struct Problem {
  std::size_t at{0};
  std::string what;
  std::string fix;
};

struct Syntax {
  /// Whether `.?`, `[?` and optMap are known.
  bool optionals{false};
  /// Whether a field may be written in backquotes.
  bool escaped_names{false};
};

/// Reads an expression; at most 250 levels deep, as Talos does.
tl::expected<Expression, Problem> parse(std::string_view text, const Syntax& syntax);

}  // namespace ichor::cel
