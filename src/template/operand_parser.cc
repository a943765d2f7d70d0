#include <array>
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "template/expression_parser.h"
#include "template/filters.h"
#include "template/predicates.h"

// Operands: names, literals, subscripts, calls, filters and tests.

namespace ichor::jinja {

void ExpressionParser::note_name(const std::string& name) {
  for (MacroUses& uses : macro_uses_) {
    uses.caller |= name == "caller";
    uses.varargs |= name == "varargs";
    uses.kwargs |= name == "kwargs";
  }
  if (name == "loop") loop_uses_.assign(loop_uses_.size(), true);
}

Outcome<ExprPtr> ExpressionParser::primary() {
  const Token& token = now();
  switch (token.kind) {
    case TokenKind::name: {
      take();
      const std::string& word = token.text;
      if (word == "true" || word == "True") return make(token, Literal{Value::boolean(true)});
      if (word == "false" || word == "False") return make(token, Literal{Value::boolean(false)});
      if (word == "none" || word == "None") return make(token, Literal{Value::none()});
      note_name(word);
      return make(token, Name{word});
    }
    case TokenKind::string: {
      std::string text;
      while (now().kind == TokenKind::string) text += take().value.as_string();
      return make(token, Literal{Value::string(std::move(text))});
    }
    case TokenKind::number: take(); return make(token, Literal{token.value});
    case TokenKind::sign:
      if (token.text == "(") {
        take();
        auto inner = tuple(Conditional::yes, {}, true);
        if (!inner) return inner;
        if (auto closed = expect_sign(")"); !closed) return forward_error(closed);
        return inner;
      }
      if (token.text == "[") return list_display();
      if (token.text == "{") return dict_display();
      break;
    default: break;
  }
  return unexpected_token("an expression");
}

bool ExpressionParser::at_tuple_end(std::string_view end_word) const {
  return now().kind == TokenKind::variable_end || now().kind == TokenKind::block_end ||
         is_sign(")") || (!end_word.empty() && is_word(end_word));
}

Outcome<ExprPtr> ExpressionParser::tuple(Conditional conditional, std::string_view end_word,
                                         bool in_parentheses) {
  const Token& start = now();
  TupleExpr row;
  bool is_row = false;
  while (!at_tuple_end(end_word)) {
    auto item = conditional == Conditional::yes ? expression() : expression_without_if();
    if (!item) return item;
    row.items.push_back(*std::move(item));
    if (!is_sign(",")) break;
    take();
    is_row = true;
  }
  if (!is_row && !row.items.empty()) return std::move(row.items.front());
  if (row.items.empty() && !in_parentheses) return unexpected_token("an expression");
  return make(start, std::move(row));
}

Outcome<ExprPtr> ExpressionParser::list_display() {
  const Token& start = take();
  ListExpr list;
  while (!is_sign("]")) {
    if (!list.items.empty()) {
      if (auto comma = expect_sign(","); !comma) return forward_error(comma);
      if (is_sign("]")) break;
    }
    auto item = expression();
    if (!item) return item;
    list.items.push_back(*std::move(item));
  }
  take();
  return make(start, std::move(list));
}

Outcome<ExprPtr> ExpressionParser::dict_display() {
  const Token& start = take();
  DictExpr dict;
  while (!is_sign("}")) {
    if (!dict.entries.empty()) {
      if (auto comma = expect_sign(","); !comma) return forward_error(comma);
      if (is_sign("}")) break;
    }
    auto key = expression();
    if (!key) return key;
    if (auto colon = expect_sign(":"); !colon) return forward_error(colon);
    auto value = expression();
    if (!value) return value;
    dict.entries.emplace_back(*std::move(key), *std::move(value));
  }
  take();
  return make(start, std::move(dict));
}

Outcome<ExprPtr> ExpressionParser::postfix(ExprPtr operand) {
  Outcome<ExprPtr> result = std::move(operand);
  for (int count = 0; result; ++count) {
    if (auto ok = check_depth(count); !ok) return forward_error(ok);
    if (is_sign(".")) {
      result = member(*std::move(result));
    } else if (is_sign("[")) {
      result = subscript(*std::move(result));
    } else if (is_sign("(")) {
      const Token& start = now();
      auto given = arguments();
      if (!given) return forward_error(given);
      result = make(start, CallExpr{*std::move(result), *std::move(given)});
    } else {
      break;
    }
  }
  return result;
}

Outcome<ExprPtr> ExpressionParser::member(ExprPtr object) {
  take();
  const Token& token = now();
  if (token.kind == TokenKind::name) {
    take();
    return make(token, AttributeExpr{std::move(object), token.text});
  }
  if (token.kind == TokenKind::number && token.value.is(Kind::integer)) {
    take();
    return make(token, ItemExpr{std::move(object), make(token, Literal{token.value})});
  }
  return unexpected_token("a name or a number");
}

Outcome<ExprPtr> ExpressionParser::subscript(ExprPtr object) {
  const Token& start = take();
  std::array<ExprPtr, 3> parts;
  std::size_t part = 0;
  bool is_slice = false;
  while (!is_sign("]")) {
    if (is_sign(":") && part < 2) {
      take();
      ++part;
      is_slice = true;
      continue;
    }
    if (parts[part] != nullptr) return unexpected_token("']'");
    auto value = expression();
    if (!value) return value;
    parts[part] = *std::move(value);
    if (is_sign(",")) {
      return fail(now(), "several subscripts", "use a tuple in parentheses, or one subscript");
    }
  }
  take();
  if (is_slice) {
    return make(start, SliceExpr{std::move(object), std::move(parts[0]), std::move(parts[1]),
                                 std::move(parts[2])});
  }
  // As in jinja2, `x[]` is a subscript with an empty tuple.
  if (parts[0] == nullptr) parts[0] = make(start, TupleExpr{});
  return make(start, ItemExpr{std::move(object), std::move(parts[0])});
}

Outcome<CallArguments> ExpressionParser::arguments() {
  const Token& start = now();
  if (auto open = expect_sign("("); !open) return forward_error(open);
  const auto misplaced = [&] {
    return fail(start, "arguments in an order that a call cannot have",
                "write positional arguments first, then name=value, then *list and **dict");
  };
  CallArguments given;
  bool is_first = true;
  while (!is_sign(")")) {
    if (!is_first) {
      if (auto comma = expect_sign(","); !comma) return forward_error(comma);
      if (is_sign(")")) break;
    }
    is_first = false;
    const bool is_named = now().kind == TokenKind::name && is_sign(ahead(), "=");
    const bool is_spread = !is_named && skip_sign("*");
    const bool is_spread_named = !is_named && !is_spread && skip_sign("**");
    std::string name;
    if (is_named) {
      name = take().text;
      take();
    }
    auto value = expression();
    if (!value) return forward_error(value);
    if (given.spread_named || (given.spread && !is_named && !is_spread_named)) return misplaced();
    if (is_named) {
      for (const auto& [known, expr] : given.named) {
        if (known == name) return fail(start, "an argument is named twice: " + name, "remove one");
      }
      given.named.emplace_back(std::move(name), *std::move(value));
    } else if (is_spread) {
      given.spread = *std::move(value);
    } else if (is_spread_named) {
      given.spread_named = *std::move(value);
    } else if (!given.named.empty()) {
      return misplaced();
    } else {
      given.positional.push_back(*std::move(value));
    }
  }
  take();
  return given;
}

Outcome<std::string> ExpressionParser::dotted_name() {
  auto name = expect_name();
  while (name && skip_sign(".")) {
    auto more = expect_name();
    if (!more) return more;
    *name += "." + *more;
  }
  return name;
}

void ExpressionParser::note_unknown(const Token& at, std::string_view kind, const std::string& name,
                                    const std::vector<std::string_view>& known) {
  if (in_branch_) return;
  const std::string_view nearest = nearest_name(name, known);
  std::string fix = nearest.empty() ? fmt::format("use one of the {}s of jinja2", kind)
                                    : fmt::format("did you mean \"{}\"?", nearest);
  unknown_.push_back({at.at, fmt::format("there is no {} called '{}'", kind, name), fix});
}

Outcome<ExprPtr> ExpressionParser::filters(ExprPtr input, bool first_has_no_pipe) {
  Outcome<ExprPtr> result = std::move(input);
  for (int count = 0; result && (first_has_no_pipe || is_sign("|")); ++count) {
    if (auto ok = check_depth(count); !ok) return forward_error(ok);
    if (!first_has_no_pipe) take();
    first_has_no_pipe = false;
    const Token& start = now();
    auto name = dotted_name();
    if (!name) return forward_error(name);
    if (find_filter(*name) == nullptr) note_unknown(start, "filter", *name, filter_names());
    FilterExpr filter{*std::move(result), *std::move(name), {}};
    if (is_sign("(")) {
      auto given = arguments();
      if (!given) return forward_error(given);
      filter.arguments = *std::move(given);
    }
    result = make(start, std::move(filter));
  }
  return result;
}

Outcome<ExprPtr> ExpressionParser::test(ExprPtr input) {
  const Token& start = take();
  const bool is_negated = skip_word("not");
  const Token& named = now();
  auto name = dotted_name();
  if (!name) return forward_error(name);
  if (find_predicate(*name) == nullptr) note_unknown(named, "test", *name, predicate_names());
  TestExpr test{std::move(input), *std::move(name), {}};
  const bool starts_operand = now().kind == TokenKind::name || now().kind == TokenKind::string ||
                              now().kind == TokenKind::number || is_sign("[") || is_sign("{");
  const bool goes_on = is_word("else") || is_word("or") || is_word("and");
  if (is_sign("(")) {
    auto given = arguments();
    if (!given) return forward_error(given);
    test.arguments = *std::move(given);
  } else if (is_word("is")) {
    return fail(now(), "two tests in a row", "connect them with and");
  } else if (starts_operand && !goes_on) {
    auto operand = primary();
    if (operand) operand = postfix(*std::move(operand));
    if (!operand) return operand;
    test.arguments.positional.push_back(*std::move(operand));
  }
  ExprPtr result = make(named, std::move(test));
  if (!is_negated) return result;
  return make(start, UnaryExpr{UnaryExpr::Sign::no, std::move(result)});
}

}  // namespace ichor::jinja
