#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "template/ast.h"
#include "template/lexer.h"

namespace ichor::jinja {

/// Reads expressions from a row of tokens; the base of the parser, which adds statements.
class ExpressionParser {
 protected:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // The tokens.
  const Token& now() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  const Token& take();
  bool is_sign(std::string_view sign) const { return is_sign(now(), sign); }
  bool is_word(std::string_view word) const { return is_word(now(), word); }
  static bool is_sign(const Token& token, std::string_view sign) {
    return token.kind == TokenKind::sign && token.text == sign;
  }
  static bool is_word(const Token& token, std::string_view word) {
    return token.kind == TokenKind::name && token.text == word;
  }
  bool skip_sign(std::string_view sign);
  bool skip_word(std::string_view word);
  Outcome<void> expect_sign(std::string_view sign);
  Outcome<void> expect_word(std::string_view word);
  Outcome<std::string> expect_name();

  static tl::unexpected<Trouble> fail(const Token& at, std::string what, std::string fix);
  tl::unexpected<Trouble> unexpected_token(std::string_view wanted);

  // Expressions, from the loosest binding to the tightest.
  Outcome<ExprPtr> expression();
  Outcome<ExprPtr> expression_without_if();  // where `if` would begin something else
  /// Expressions with commas between are a tuple. `end_word` ends it besides a tag's end.
  enum class Conditional { yes, no };
  Outcome<ExprPtr> tuple(Conditional conditional, std::string_view end_word = {},
                         bool in_parentheses = false);
  Outcome<ExprPtr> postfix(ExprPtr operand);
  /// Filters behind an operand; null input for the first one of a filter block.
  Outcome<ExprPtr> filters(ExprPtr input, bool first_has_no_pipe = false);
  Outcome<CallArguments> arguments();
  Outcome<ExprPtr> primary();

  bool at_tuple_end(std::string_view end_word) const;

  /// Names of filters and tests that are not known, found where jinja2 would find them too.
  struct Unknown {
    Position at;
    std::string what;
    std::string fix;
  };
  std::vector<Unknown> unknown_;
  bool in_branch_{false};  // of an if: unknown names are an error only if they are reached

  /// Names that a macro's body uses, for each macro that is being read.
  struct MacroUses {
    bool caller{false}, varargs{false}, kwargs{false};
  };
  std::vector<MacroUses> macro_uses_;
  /// Whether `loop` was named in the body of each loop that is being read.
  std::vector<bool> loop_uses_;

  /// One level of nesting of what is being read, for as long as it lives.
  class Depth {
   public:
    explicit Depth(int& depth) : depth_(depth) { ++depth_; }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    int& depth_;
  };
  Outcome<void> check_depth(int extra = 0) const;
  int depth_{0};

  std::vector<Token> tokens_;
  std::size_t at_{0};

 private:
  static ExprPtr make(const Token& at, Expr::Node node);
  using Reader = Outcome<ExprPtr> (ExpressionParser::*)();
  struct ArithmeticSign {
    std::string_view sign;
    Arithmetic operation;
  };
  Outcome<ExprPtr> left_to_right(Reader operand, std::initializer_list<ArithmeticSign> signs);
  Outcome<ExprPtr> logic(Reader operand, std::string_view word);
  Outcome<ExprPtr> either();
  Outcome<ExprPtr> both();
  Outcome<ExprPtr> negation();
  Outcome<ExprPtr> comparison();
  Outcome<std::optional<CompareExpr::Step>> comparison_step();
  Outcome<ExprPtr> sum();
  Outcome<ExprPtr> concatenation();
  Outcome<ExprPtr> product();
  Outcome<ExprPtr> power();
  Outcome<ExprPtr> unary();
  Outcome<ExprPtr> unary_without_filter();
  Outcome<ExprPtr> signed_operand();
  Outcome<ExprPtr> list_display();
  Outcome<ExprPtr> dict_display();
  Outcome<ExprPtr> subscript(ExprPtr object);
  Outcome<ExprPtr> member(ExprPtr object);
  Outcome<ExprPtr> test(ExprPtr input);
  Outcome<std::string> dotted_name();
  void note_name(const std::string& name);
  void note_unknown(const Token& at, std::string_view kind, const std::string& name,
                    const std::vector<std::string_view>& known);
};

}  // namespace ichor::jinja
