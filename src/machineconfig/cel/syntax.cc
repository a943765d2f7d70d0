#include "machineconfig/cel/syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "machineconfig/cel/lexer.h"

namespace ichor::cel {

namespace {

using Kind = Expression::Kind;
using Parsed = tl::expected<Expression, Problem>;

constexpr int kDepthMax = 250;

constexpr std::array<std::string_view, 18> kReserved = {
    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",    "import",
    "let", "loop",  "package", "namespace", "return", "var", "void",     "while", "in"};

/// The macros behind a value: how many arguments they take besides the variable.
struct Macro {
  std::string_view name;
  std::size_t bodies;
  bool needs_optionals;
};
constexpr Macro kMacros[] = {{"all", 1, false},   {"exists", 1, false},   {"exists_one", 1, false},
                             {"map", 1, false},   {"map", 2, false},      {"filter", 1, false},
                             {"optMap", 1, true}, {"optFlatMap", 1, true}};

class Parser {
 public:
  Parser(std::vector<Token> tokens, const Syntax& syntax)
      : tokens_(std::move(tokens)), syntax_(syntax) {}

  Parsed run() {
    auto whole = expression();
    if (whole && here().kind != Token::Kind::end) return refuse("the expression should end here");
    return whole;
  }

 private:
  const Token& here() const { return tokens_[next_]; }
  const Token& ahead(std::size_t count) const {
    return tokens_[std::min(next_ + count, tokens_.size() - 1)];
  }
  bool is(std::string_view sign) const {
    return here().kind == Token::Kind::sign && here().text == sign;
  }
  bool take(std::string_view sign) {
    if (!is(sign)) return false;
    ++next_;
    return true;
  }

  tl::unexpected<Problem> refuse(std::string what) const { return refuse_at(here().at, what); }
  tl::unexpected<Problem> refuse_at(std::size_t at, std::string what,
                                    std::string fix = "correct the expression") const {
    return tl::unexpected(Problem{at, std::move(what), std::move(fix)});
  }
  tl::unexpected<Problem> too_deep(std::size_t at) const {
    return refuse_at(at, fmt::format("the expression is more than {} levels deep", kDepthMax),
                     "write it with fewer parts");
  }

  static Expression make(Kind kind, std::size_t at, std::string text = "") {
    Expression made;
    made.kind = kind;
    made.at = at;
    made.text = std::move(text);
    return made;
  }

  Parsed expression() {
    if (depth_ == kDepthMax) return too_deep(here().at);
    ++depth_;
    auto read = conditional();
    --depth_;
    return read;
  }

  Parsed conditional() {
    auto condition = any_of("||", "_||_", &Parser::conjunction);
    if (!condition || !is("?")) return condition;
    Expression call = make(Kind::call, here().at, "_?_:_");
    ++next_;
    auto yes = any_of("||", "_||_", &Parser::conjunction);
    if (!yes) return yes;
    if (!take(":")) return refuse("`:` is missing");
    auto no = expression();
    if (!no) return no;
    call.parts = {*std::move(condition), *std::move(yes), *std::move(no)};
    return call;
  }

  Parsed conjunction() { return any_of("&&", "_&&_", &Parser::relation); }

  /// Operands with one operator between, as a single call.
  Parsed any_of(std::string_view sign, const char* name, Parsed (Parser::*operand)()) {
    auto first = (this->*operand)();
    if (!first || !is(sign)) return first;
    Expression call = make(Kind::call, here().at, name);
    call.parts.push_back(*std::move(first));
    while (take(sign)) {
      auto next = (this->*operand)();
      if (!next) return next;
      call.parts.push_back(*std::move(next));
    }
    return call;
  }

  Parsed relation() { return chain({"<", "<=", ">=", ">", "==", "!=", "in"}, &Parser::sum); }
  Parsed sum() { return chain({"+", "-"}, &Parser::product); }
  Parsed product() { return chain({"*", "/", "%"}, &Parser::unary); }

  /// Operators that group from the left.
  Parsed chain(std::initializer_list<std::string_view> signs, Parsed (Parser::*operand)()) {
    auto left = (this->*operand)();
    for (int length = 1; left; ++length) {
      const bool is_word = here().kind == Token::Kind::word && here().text == "in";
      const bool is_sign = here().kind == Token::Kind::sign;
      if ((!is_sign && !is_word) ||
          std::find(signs.begin(), signs.end(), here().text) == signs.end())
        return left;
      if (length >= kDepthMax) return too_deep(here().at);
      Expression call = make(Kind::call, here().at,
                             is_word ? std::string("@in") : fmt::format("_{}_", here().text));
      ++next_;
      auto right = (this->*operand)();
      if (!right) return right;
      call.parts.push_back(*std::move(left));
      call.parts.push_back(*std::move(right));
      left = std::move(call);
    }
    return left;
  }

  Parsed unary() {
    const std::size_t at = here().at;
    const bool number_follows =
        ahead(1).kind == Token::Kind::integer || ahead(1).kind == Token::Kind::floating;
    if (!is("!") && (!is("-") || number_follows)) return member();
    const std::string sign = here().text;
    std::size_t count = 0;
    while (is(sign) && !(sign == "-" && count > 0 && is_number(ahead(1)))) {
      ++next_;
      ++count;
    }
    auto operand = member();
    if (!operand || count % 2 == 0) return operand;
    Expression call = make(Kind::call, at, sign + "_");
    call.parts.push_back(*std::move(operand));
    return call;
  }

  static bool is_number(const Token& token) {
    return token.kind == Token::Kind::integer || token.kind == Token::Kind::floating;
  }

  Parsed member() {
    auto value = primary();
    for (int length = 0; value; ++length) {
      if (!is(".") && !is("[")) return value;
      if (length >= kDepthMax) return too_deep(here().at);
      value = is(".") ? dotted(*std::move(value)) : indexed(*std::move(value));
    }
    return value;
  }

  Parsed dotted(Expression value) {
    const std::size_t at = here().at;
    ++next_;
    const bool optional = take("?");
    if (optional && !syntax_.optionals) return no_optionals(at);
    const bool keyword = here().text == "in" || here().text == "true" || here().text == "false" ||
                         here().text == "null";
    const bool escaped = syntax_.escaped_names && here().kind == Token::Kind::escaped;
    if (!escaped && (here().kind != Token::Kind::word || keyword)) {
      return refuse("a name is missing");
    }
    const std::string name = here().text;
    ++next_;
    if (escaped || !is("(") || optional) {
      Expression select = make(optional ? Kind::optional_select : Kind::select, at, name);
      select.parts.push_back(std::move(value));
      return select;
    }
    Expression call = make(Kind::method, here().at, name);
    call.parts.push_back(std::move(value));
    if (auto broken = arguments(call)) return tl::unexpected(*std::move(broken));
    return as_macro(std::move(call));
  }

  Parsed indexed(Expression value) {
    const std::size_t at = here().at;
    ++next_;
    const bool optional = take("?");
    if (optional && !syntax_.optionals) return no_optionals(at);
    auto index = expression();
    if (!index) return index;
    if (!take("]")) return refuse("`]` is missing");
    Expression call = make(Kind::call, at, optional ? "_[?_]" : "_[_]");
    call.parts = {std::move(value), *std::move(index)};
    return call;
  }

  tl::unexpected<Problem> no_optionals(std::size_t at) const {
    return refuse_at(at, "optional values are not known here", "use has() and a plain field");
  }

  std::optional<Problem> arguments(Expression& call) {
    ++next_;
    if (take(")")) return std::nullopt;
    do {
      auto argument = expression();
      if (!argument) return std::move(argument).error();
      call.parts.push_back(*std::move(argument));
    } while (take(","));
    if (take(")")) return std::nullopt;
    return Problem{here().at, "`)` is missing", "close the parenthesis"};
  }

  /// `list.exists(x, …)` and its like name a variable instead of giving a value.
  Parsed as_macro(Expression call) const {
    const std::string name = call.text;
    const std::size_t bodies = call.parts.size() - 2;
    const bool known = std::any_of(std::begin(kMacros), std::end(kMacros), [&](const Macro& macro) {
      return macro.name == name && macro.bodies == bodies &&
             (!macro.needs_optionals || syntax_.optionals);
    });
    if (call.parts.size() < 2 || !known) return call;
    if (call.parts[1].kind != Kind::name || call.parts[1].text.starts_with("__result__")) {
      return refuse_at(call.parts[1].at,
                       fmt::format("{}() needs a variable as its first argument", call.text),
                       fmt::format("write {}(x, …)", call.text));
    }
    Expression each = make(Kind::each, call.at, name);
    each.variable = call.parts[1].text;
    call.parts.erase(call.parts.begin() + 1);
    each.parts = std::move(call.parts);
    return each;
  }

  Parsed primary() {
    const Token token = here();
    switch (token.kind) {
      case Token::Kind::end: return refuse("the expression ends too early");
      case Token::Kind::integer:
      case Token::Kind::unsigned_integer:
      case Token::Kind::floating: return number(false);
      case Token::Kind::text: ++next_; return literal(token.at, Type::Kind::text);
      case Token::Kind::bytes: ++next_; return literal(token.at, Type::Kind::bytes);
      case Token::Kind::word: return word();
      case Token::Kind::escaped: return refuse("a name in backquotes must follow a dot");
      case Token::Kind::sign: break;
    }
    if (token.text == "-") {
      ++next_;
      return number(true);
    }
    if (token.text == ".") {
      ++next_;
      if (here().kind != Token::Kind::word) return refuse("a name is missing");
      return word();
    }
    if (token.text == "(") {
      ++next_;
      auto inner = expression();
      if (inner && !take(")")) return refuse("`)` is missing");
      return inner;
    }
    if (token.text == "[") return list();
    if (token.text == "{") return map();
    return refuse(fmt::format("a value is missing before `{}`", token.text));
  }

  static Expression literal(std::size_t at, Type::Kind kind) {
    Expression made = make(Kind::literal, at);
    made.type = make_type(kind);
    return made;
  }

  Parsed number(bool negative) {
    const Token token = here();
    ++next_;
    if (token.kind == Token::Kind::floating) {
      const double value = std::strtod(token.text.c_str(), nullptr);
      if (value > 1.7976931348623157e308) return refuse_at(token.at, "the number is too large");
      return literal(token.at, Type::Kind::floating);
    }
    const bool hex = token.text.starts_with("0x");
    const std::string digits = hex ? token.text.substr(2) : token.text;
    std::uint64_t value = 0;
    const auto read =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    const std::uint64_t max = token.kind == Token::Kind::unsigned_integer
                                  ? UINT64_MAX
                                  : static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1 : 0);
    if (read.ec != std::errc() || value > max)
      return refuse_at(token.at, "the number is too large");
    return literal(token.at, token.kind == Token::Kind::unsigned_integer
                                 ? Type::Kind::unsigned_integer
                                 : Type::Kind::integer);
  }

  Parsed word() {
    const Token token = here();
    ++next_;
    if (token.text == "true" || token.text == "false")
      return literal(token.at, Type::Kind::boolean);
    if (token.text == "null") return literal(token.at, Type::Kind::null);
    if (is_object_literal()) return object(token);
    if (std::find(kReserved.begin(), kReserved.end(), token.text) != kReserved.end()) {
      return refuse_at(token.at, fmt::format("`{}` is reserved", token.text), "use another name");
    }
    if (!is("(")) return make(Kind::name, token.at, token.text);
    Expression call = make(Kind::call, here().at, token.text);
    if (auto broken = arguments(call)) return tl::unexpected(*std::move(broken));
    if (call.text != "has" || call.parts.size() != 1) return call;
    if (call.parts[0].kind != Kind::select) {
      return refuse_at(call.parts[0].at, "has() needs a field", "write has(disk.model)");
    }
    Expression has = std::move(call.parts[0]);
    has.kind = Kind::has;
    return has;
  }

  /// Whether `.b.c{` follows.
  bool is_object_literal() const {
    std::size_t i = 0;
    while (ahead(i).text == "." && ahead(i).kind == Token::Kind::sign &&
           ahead(i + 1).kind == Token::Kind::word) {
      i += 2;
    }
    return ahead(i).kind == Token::Kind::sign && ahead(i).text == "{";
  }

  Parsed object(const Token& first) {
    Expression made = make(Kind::object, first.at, first.text);
    while (take(".")) {
      made.text += "." + here().text;
      ++next_;
    }
    ++next_;
    while (!is("}")) {
      if (is("?") && !syntax_.optionals) return no_optionals(here().at);
      if (take("?")) made.optional_parts.push_back(made.parts.size());
      const bool escaped = syntax_.escaped_names && here().kind == Token::Kind::escaped;
      if (!escaped && here().kind != Token::Kind::word) return refuse("a field is missing");
      made.fields.push_back(here().text);
      ++next_;
      if (!take(":")) return refuse("`:` is missing");
      auto value = expression();
      if (!value) return value;
      made.parts.push_back(*std::move(value));
      if (!take(",")) break;
    }
    if (!take("}")) return refuse("`}` is missing");
    return made;
  }

  Parsed list() {
    Expression made = make(Kind::list, here().at);
    ++next_;
    if (is(",") && ahead(1).text == "]") ++next_;
    while (!is("]")) {
      if (is("?") && !syntax_.optionals) return no_optionals(here().at);
      if (take("?")) made.optional_parts.push_back(made.parts.size());
      auto item = expression();
      if (!item) return item;
      made.parts.push_back(*std::move(item));
      if (!take(",")) break;
    }
    if (!take("]")) return refuse("`]` is missing");
    return made;
  }

  Parsed map() {
    Expression made = make(Kind::map, here().at);
    ++next_;
    if (is(",") && ahead(1).text == "}") ++next_;
    while (!is("}")) {
      if (is("?") && !syntax_.optionals) return no_optionals(here().at);
      if (take("?")) made.optional_parts.push_back(made.parts.size() + 1);
      auto key = expression();
      if (!key) return key;
      if (!take(":")) return refuse("`:` is missing");
      auto value = expression();
      if (!value) return value;
      made.parts.push_back(*std::move(key));
      made.parts.push_back(*std::move(value));
      if (!take(",")) break;
    }
    if (!take("}")) return refuse("`}` is missing");
    return made;
  }

  std::vector<Token> tokens_;
  const Syntax& syntax_;
  std::size_t next_{0};
  int depth_{0};
};

}  // namespace

tl::expected<Expression, Problem> parse(std::string_view text, const Syntax& syntax) {
  auto tokens = tokens_of(text);
  if (!tokens) return forward_error(tokens);
  return Parser(*std::move(tokens), syntax).run();
}

}  // namespace ichor::cel
