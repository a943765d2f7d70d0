#include "template/expression_parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor::jinja {

namespace {

constexpr int kDepthMax = 100;
/// `a.b.c…` and `a + b + c…` make a tree as high as they are long.
constexpr int kChainMax = 200;

std::string described(const Token& token) {
  switch (token.kind) {
    case TokenKind::data: return "text";
    case TokenKind::variable_begin:
    case TokenKind::block_begin: return "the begin of a tag";
    case TokenKind::variable_end:
    case TokenKind::block_end: return "the end of the tag";
    case TokenKind::name: return fmt::format("'{}'", token.text);
    case TokenKind::string: return "a text in quotes";
    case TokenKind::number: return "a number";
    case TokenKind::sign: return fmt::format("'{}'", token.text);
    case TokenKind::end: return "the end of the template";
  }
  return "?";
}

}  // namespace

const Token& ExpressionParser::take() {
  const Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool ExpressionParser::skip_sign(std::string_view sign) {
  if (!is_sign(sign)) return false;
  take();
  return true;
}

bool ExpressionParser::skip_word(std::string_view word) {
  if (!is_word(word)) return false;
  take();
  return true;
}

tl::unexpected<Trouble> ExpressionParser::fail(const Token& at, std::string what, std::string fix) {
  return tl::unexpected(Trouble{std::move(what), std::move(fix), at.at, {}, {}});
}

tl::unexpected<Trouble> ExpressionParser::unexpected_token(std::string_view wanted) {
  return fail(now(), fmt::format("{} where {} is expected", described(now()), wanted),
              "check the tag");
}

Outcome<void> ExpressionParser::expect_sign(std::string_view sign) {
  if (skip_sign(sign)) return {};
  return unexpected_token(fmt::format("'{}'", sign));
}

Outcome<void> ExpressionParser::expect_word(std::string_view word) {
  if (skip_word(word)) return {};
  return unexpected_token(fmt::format("'{}'", word));
}

Outcome<std::string> ExpressionParser::expect_name() {
  if (now().kind != TokenKind::name) return unexpected_token("a name");
  return take().text;
}

Outcome<void> ExpressionParser::check_depth(int extra) const {
  if (depth_ <= kDepthMax && extra <= kChainMax) return {};
  return fail(now(), "an expression or block that is nested too deeply",
              "split it with set statements");
}

ExprPtr ExpressionParser::make(const Token& at, Expr::Node node) {
  return std::make_unique<Expr>(Expr{at.at, std::move(node)});
}

Outcome<ExprPtr> ExpressionParser::expression() {
  const Depth depth(depth_);
  if (auto ok = check_depth(); !ok) return forward_error(ok);
  const Token& start = now();
  const std::size_t unknown_before = unknown_.size();
  auto value = either();
  for (int count = 0; value && skip_word("if"); ++count) {
    if (auto ok = check_depth(count); !ok) return forward_error(ok);
    auto condition = either();
    if (!condition) return condition;
    ExprPtr otherwise;
    if (skip_word("else")) {
      auto other = expression();
      if (!other) return other;
      otherwise = *std::move(other);
    }
    // Whatever filter stands in it may never be reached.
    unknown_.resize(std::min(unknown_.size(), unknown_before));
    value = make(start,
                 ConditionalExpr{*std::move(condition), *std::move(value), std::move(otherwise)});
  }
  return value;
}

Outcome<ExprPtr> ExpressionParser::expression_without_if() {
  const Depth depth(depth_);
  if (auto ok = check_depth(); !ok) return forward_error(ok);
  return either();
}

Outcome<ExprPtr> ExpressionParser::logic(Reader operand, std::string_view word) {
  auto left = (this->*operand)();
  for (int count = 0; left && is_word(word); ++count) {
    if (auto ok = check_depth(count); !ok) return forward_error(ok);
    const Token& sign = take();
    auto right = (this->*operand)();
    if (!right) return right;
    left = make(sign, LogicExpr{word == "and", *std::move(left), *std::move(right)});
  }
  return left;
}

Outcome<ExprPtr> ExpressionParser::either() { return logic(&ExpressionParser::both, "or"); }
Outcome<ExprPtr> ExpressionParser::both() { return logic(&ExpressionParser::negation, "and"); }

Outcome<ExprPtr> ExpressionParser::negation() {
  if (!is_word("not")) return comparison();
  const Depth depth(depth_);
  if (auto ok = check_depth(); !ok) return forward_error(ok);
  const Token& sign = take();
  auto operand = negation();
  if (!operand) return operand;
  return make(sign, UnaryExpr{UnaryExpr::Sign::no, *std::move(operand)});
}

Outcome<std::optional<CompareExpr::Step>> ExpressionParser::comparison_step() {
  static constexpr std::pair<std::string_view, Relation> relations[] = {
      {"==", Relation::equal},      {"!=", Relation::not_equal}, {"<", Relation::less},
      {"<=", Relation::less_equal}, {">", Relation::greater},    {">=", Relation::greater_equal}};
  CompareExpr::Step step;
  bool found = false;
  for (const auto& [sign, relation] : relations) {
    if (found || !skip_sign(sign)) continue;
    step.relation = relation;
    found = true;
  }
  if (!found && is_word("not") && is_word(ahead(), "in")) {
    take();
    take();
    step.kind = CompareExpr::Step::Kind::not_in;
    found = true;
  }
  if (!found && skip_word("in")) {
    step.kind = CompareExpr::Step::Kind::in;
    found = true;
  }
  if (!found) return std::optional<CompareExpr::Step>();
  auto operand = sum();
  if (!operand) return forward_error(operand);
  step.operand = *std::move(operand);
  return std::optional<CompareExpr::Step>(std::move(step));
}

Outcome<ExprPtr> ExpressionParser::comparison() {
  const Token& start = now();
  auto first = sum();
  if (!first) return first;
  CompareExpr compare;
  while (true) {
    auto step = comparison_step();
    if (!step) return forward_error(step);
    if (!*step) break;
    compare.steps.push_back(*std::move(*step));
  }
  if (compare.steps.empty()) return first;
  compare.first = *std::move(first);
  return make(start, std::move(compare));
}

Outcome<ExprPtr> ExpressionParser::left_to_right(Reader operand,
                                                 std::initializer_list<ArithmeticSign> signs) {
  auto left = (this->*operand)();
  for (int count = 0; left; ++count) {
    const auto found =
        std::find_if(signs.begin(), signs.end(),
                     [this](const ArithmeticSign& known) { return is_sign(known.sign); });
    if (found == signs.end()) break;
    if (auto ok = check_depth(count); !ok) return forward_error(ok);
    const Token& sign = take();
    auto right = (this->*operand)();
    if (!right) return right;
    left = make(sign, ArithmeticExpr{found->operation, *std::move(left), *std::move(right)});
  }
  return left;
}

Outcome<ExprPtr> ExpressionParser::sum() {
  return left_to_right(&ExpressionParser::concatenation,
                       {{"+", Arithmetic::add}, {"-", Arithmetic::subtract}});
}

Outcome<ExprPtr> ExpressionParser::concatenation() {
  const Token& start = now();
  auto first = product();
  if (!first || !is_sign("~")) return first;
  ConcatExpr concat;
  concat.parts.push_back(*std::move(first));
  while (skip_sign("~")) {
    auto part = product();
    if (!part) return part;
    concat.parts.push_back(*std::move(part));
  }
  return make(start, std::move(concat));
}

Outcome<ExprPtr> ExpressionParser::product() {
  return left_to_right(&ExpressionParser::power, {{"*", Arithmetic::multiply},
                                                  {"/", Arithmetic::divide},
                                                  {"//", Arithmetic::floor_divide},
                                                  {"%", Arithmetic::modulo}});
}

// Unlike in Python, a row of powers is taken from the left.
Outcome<ExprPtr> ExpressionParser::power() {
  return left_to_right(&ExpressionParser::unary, {{"**", Arithmetic::power}});
}

Outcome<ExprPtr> ExpressionParser::signed_operand() {
  const Depth depth(depth_);
  if (auto ok = check_depth(); !ok) return forward_error(ok);
  const Token& sign = take();
  auto operand = unary_without_filter();
  if (!operand) return operand;
  const auto kind = sign.text == "-" ? UnaryExpr::Sign::minus : UnaryExpr::Sign::plus;
  return make(sign, UnaryExpr{kind, *std::move(operand)});
}

Outcome<ExprPtr> ExpressionParser::unary_without_filter() {
  auto operand = is_sign("-") || is_sign("+") ? signed_operand() : primary();
  if (!operand) return operand;
  return postfix(*std::move(operand));
}

// A sign binds tighter than a filter: -1 | abs is 1.
Outcome<ExprPtr> ExpressionParser::unary() {
  auto operand = unary_without_filter();
  for (int count = 0; operand; ++count) {
    if (auto ok = check_depth(count); !ok) return forward_error(ok);
    if (is_sign("|")) {
      operand = filters(*std::move(operand));
    } else if (is_word("is")) {
      operand = test(*std::move(operand));
    } else if (is_sign("(")) {
      operand = postfix(*std::move(operand));
    } else {
      break;
    }
  }
  return operand;
}

}  // namespace ichor::jinja
