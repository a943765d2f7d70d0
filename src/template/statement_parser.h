#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "template/ast.h"
#include "template/expression_parser.h"
#include "template/unicode.h"

namespace ichor::jinja {

/// Reads the statements of a template, each tag by its own function.
class StatementParser : private ExpressionParser {
 public:
  StatementParser(std::vector<Token> tokens, const std::string& source)
      : ExpressionParser(std::move(tokens)), source_(source) {}

  Outcome<Body> run() {
    auto body = read_body({});
    if (body && !unknown_.empty()) {
      const Unknown& first = unknown_.front();
      return tl::unexpected(Trouble{first.what, first.fix, first.at, {}, {}});
    }
    return body;
  }

 private:
  using Words = std::initializer_list<std::string_view>;
  using Reader = Outcome<Statement::Node> (StatementParser::*)();

  /// Everything up to a block tag that begins with one of `ends`, whose name is then the token at
  /// hand; without `ends`, up to the end of the template.
  Outcome<Body> read_body(Words ends);
  /// The end of the opening tag, the body, and the name that ended it.
  Outcome<Body> read_block(Words ends);
  /// The same for a block that is a scope of its own, in which unknown filters are found again.
  Outcome<Body> read_scope(Words ends);
  Outcome<Statement> read_output();
  Outcome<Statement> read_statement();
  Outcome<Statement::Node> read_if();
  Outcome<Statement::Node> read_for();
  Outcome<Statement::Node> read_set();
  Outcome<Statement::Node> read_filter();
  Outcome<Statement::Node> read_with();
  Outcome<Statement::Node> read_macro();
  Outcome<Statement::Node> read_call();
  Outcome<Statement::Node> read_include();
  Outcome<Statement::Node> read_import();
  Outcome<Statement::Node> read_extends();
  Outcome<Statement::Node> read_block_tag();
  Outcome<Statement::Node> read_from();
  Outcome<Statement::Node> read_do();
  Outcome<Statement::Node> read_print();
  Outcome<Statement::Node> read_break();
  Outcome<Statement::Node> read_continue();
  Outcome<Statement::Node> read_autoescape();
  Outcome<Target> read_target(std::string_view end_word);
  Outcome<Target> read_target_name();
  Outcome<Signature> read_signature();
  std::optional<bool> read_context();
  Outcome<Body> read_macro_body(Signature& signature, std::string_view end);
  tl::unexpected<Trouble> unknown_tag();

  struct Tag {
    std::string_view name;
    Reader read;
  };
  static const std::vector<Tag>& tags();

  /// What was written from the token `from` up to the one at hand.
  std::string written(std::size_t from) const {
    const std::size_t begin = tokens_[from].offset;
    return std::string(
        strip(std::string_view(source_).substr(begin, now().offset - begin), Side::both));
  }

  const std::string& source_;
  int loops_{0};
  std::vector<std::string> block_names_;
};

}  // namespace ichor::jinja
