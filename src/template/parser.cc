#include "template/parser.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "template/expression_parser.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

class Parser : public ExpressionParser {
 public:
  Parser(std::vector<Token> tokens, const std::string& source)
      : ExpressionParser(std::move(tokens)), source_(source) {}

  Outcome<Body> run() {
    auto body = read_body({});
    if (body && !unknown_.empty()) {
      const Unknown& first = unknown_.front();
      return tl::unexpected(Trouble{first.what, first.fix, first.at, {}});
    }
    return body;
  }

 private:
  using Words = std::initializer_list<std::string_view>;
  using Reader = Outcome<Statement::Node> (Parser::*)();

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
};

const std::vector<Parser::Tag>& Parser::tags() {
  static const std::vector<Tag> list{{"if", &Parser::read_if},
                                     {"for", &Parser::read_for},
                                     {"set", &Parser::read_set},
                                     {"filter", &Parser::read_filter},
                                     {"with", &Parser::read_with},
                                     {"macro", &Parser::read_macro},
                                     {"call", &Parser::read_call},
                                     {"include", &Parser::read_include},
                                     {"import", &Parser::read_import},
                                     {"from", &Parser::read_from},
                                     {"do", &Parser::read_do},
                                     {"print", &Parser::read_print},
                                     {"break", &Parser::read_break},
                                     {"continue", &Parser::read_continue},
                                     {"autoescape", &Parser::read_autoescape}};
  return list;
}

Outcome<Body> Parser::read_body(Words ends) {
  const Depth depth(depth_);
  if (auto ok = check_depth(); !ok) return tl::unexpected(ok.error());
  Body body;
  while (true) {
    switch (now().kind) {
      case TokenKind::end:
        if (ends.size() == 0) return body;
        return fail(now(), fmt::format("the template ends before '{}'", *ends.begin()),
                    "close the block");
      case TokenKind::data: {
        const Token& data = take();
        body.push_back({data.at, DataStatement{data.text}});
        break;
      }
      case TokenKind::variable_begin: {
        auto output = read_output();
        if (!output) return tl::unexpected(output.error());
        body.push_back(*std::move(output));
        break;
      }
      default: {
        take();
        const bool is_end = std::any_of(ends.begin(), ends.end(),
                                        [this](std::string_view end) { return is_word(end); });
        if (is_end) return body;
        auto statement = read_statement();
        if (!statement) return tl::unexpected(statement.error());
        body.push_back(*std::move(statement));
        if (now().kind != TokenKind::block_end) return unexpected_token("the end of the tag");
        take();
      }
    }
  }
}

Outcome<Body> Parser::read_block(Words ends) {
  skip_sign(":");
  if (now().kind != TokenKind::block_end) return unexpected_token("the end of the tag");
  take();
  return read_body(ends);
}

Outcome<Body> Parser::read_scope(Words ends) {
  const bool was_in_branch = std::exchange(in_branch_, false);
  auto body = read_block(ends);
  in_branch_ = was_in_branch;
  return body;
}

Outcome<Statement> Parser::read_output() {
  const Position at = take().at;
  auto value = tuple(Conditional::yes);
  if (!value) return tl::unexpected(value.error());
  if (now().kind != TokenKind::variable_end) return unexpected_token("the end of the tag");
  take();
  return Statement{at, OutputStatement{*std::move(value)}};
}

tl::unexpected<Trouble> Parser::unknown_tag() {
  if (now().kind != TokenKind::name) return unexpected_token("the name of a tag");
  const std::string& name = now().text;
  if (name == "extends" || name == "block") {
    return fail(now(), "templates that inherit from others are not supported: " + name,
                "use include or macros");
  }
  if (name.starts_with("end") || name == "else" || name == "elif") {
    return fail(now(), fmt::format("'{}' without the block that it would belong to", name),
                "check which block is open here");
  }
  std::vector<std::string_view> known{"raw"};
  for (const Tag& tag : tags()) known.push_back(tag.name);
  return fail(now(), fmt::format("there is no tag called '{}'", name), name_hint(name, known));
}

Outcome<Statement> Parser::read_statement() {
  const Token& name = now();
  const auto tag = std::find_if(tags().begin(), tags().end(),
                                [&](const Tag& known) { return is_word(known.name); });
  if (tag == tags().end()) return unknown_tag();
  take();
  auto node = (this->*tag->read)();
  if (!node) return tl::unexpected(node.error());
  return Statement{name.at, *std::move(node)};
}

Outcome<Statement::Node> Parser::read_if() {
  IfStatement statement;
  const bool was_in_branch = std::exchange(in_branch_, true);
  while (true) {
    const std::size_t from = at_;
    auto condition = tuple(Conditional::no);
    if (!condition) return tl::unexpected(condition.error());
    std::string text = "if " + written(from);
    auto body = read_block({"elif", "else", "endif"});
    if (!body) return tl::unexpected(body.error());
    statement.branches.push_back({*std::move(condition), std::move(text), *std::move(body)});
    if (!skip_word("elif")) break;
  }
  if (skip_word("else")) {
    auto body = read_block({"endif"});
    if (!body) return tl::unexpected(body.error());
    statement.otherwise = *std::move(body);
  }
  take();
  in_branch_ = was_in_branch;
  return statement;
}

Outcome<Target> Parser::read_target_name() {
  const Token& token = now();
  if (skip_sign("(")) {
    auto inner = read_target({});
    if (!inner) return inner;
    if (auto closed = expect_sign(")"); !closed) return tl::unexpected(closed.error());
    return inner;
  }
  auto name = expect_name();
  if (!name) return tl::unexpected(name.error());
  static constexpr std::string_view constants[] = {"true",  "True", "false",
                                                   "False", "none", "None"};
  if (std::find(std::begin(constants), std::end(constants), *name) != std::end(constants)) {
    return fail(token, "a constant cannot be assigned to", "use another name");
  }
  return Target{token.at, *std::move(name), {}, {}, false};
}

Outcome<Target> Parser::read_target(std::string_view end_word) {
  const Depth depth(depth_);
  if (auto ok = check_depth(); !ok) return tl::unexpected(ok.error());
  auto first = read_target_name();
  if (!first || !is_sign(",")) return first;
  Target row{first->at, {}, {}, {}, true};
  row.parts.push_back(*std::move(first));
  while (skip_sign(",")) {
    if (at_tuple_end(end_word) || is_sign("=")) break;
    auto part = read_target_name();
    if (!part) return part;
    row.parts.push_back(*std::move(part));
  }
  return row;
}

Outcome<Statement::Node> Parser::read_for() {
  ForStatement statement;
  const std::size_t from = at_;
  auto target = read_target("in");
  if (!target) return tl::unexpected(target.error());
  statement.target = *std::move(target);
  if (statement.target.name == "loop") {
    return fail(tokens_[from], "loop is the loop's own name", "use another name");
  }
  if (auto in = expect_word("in"); !in) return tl::unexpected(in.error());
  auto iterable = tuple(Conditional::no, "recursive");
  if (!iterable) return tl::unexpected(iterable.error());
  statement.iterable = *std::move(iterable);
  if (skip_word("if")) {
    auto condition = expression();
    if (!condition) return tl::unexpected(condition.error());
    statement.condition = *std::move(condition);
  }
  statement.is_recursive = skip_word("recursive");
  statement.text = "for " + written(from);
  ++loops_;
  loop_uses_.push_back(false);
  auto body = read_scope({"endfor", "else"});
  statement.uses_loop = loop_uses_.back();
  loop_uses_.pop_back();
  --loops_;
  if (!body) return tl::unexpected(body.error());
  statement.body = *std::move(body);
  if (skip_word("else")) {
    auto otherwise = read_scope({"endfor"});
    if (!otherwise) return tl::unexpected(otherwise.error());
    statement.otherwise = *std::move(otherwise);
  }
  take();
  return statement;
}

Outcome<Statement::Node> Parser::read_set() {
  Target target;
  if (now().kind == TokenKind::name && is_sign(ahead(), ".")) {
    target.at = now().at;
    target.name = take().text;
    take();
    auto attribute = expect_name();
    if (!attribute) return tl::unexpected(attribute.error());
    target.attribute = *std::move(attribute);
  } else {
    auto read = read_target({});
    if (!read) return tl::unexpected(read.error());
    target = *std::move(read);
  }
  if (skip_sign("=")) {
    auto value = tuple(Conditional::yes);
    if (!value) return tl::unexpected(value.error());
    return SetStatement{std::move(target), *std::move(value)};
  }
  auto filter = filters(nullptr);
  if (!filter) return tl::unexpected(filter.error());
  auto body = read_scope({"endset"});
  if (!body) return tl::unexpected(body.error());
  take();
  return SetBlock{std::move(target), *std::move(filter), *std::move(body)};
}

Outcome<Statement::Node> Parser::read_filter() {
  auto filter = filters(nullptr, true);
  if (!filter) return tl::unexpected(filter.error());
  auto body = read_scope({"endfilter"});
  if (!body) return tl::unexpected(body.error());
  take();
  return FilterBlock{*std::move(filter), *std::move(body)};
}

Outcome<Statement::Node> Parser::read_with() {
  WithBlock block;
  while (now().kind != TokenKind::block_end) {
    if (!block.values.empty()) {
      if (auto comma = expect_sign(","); !comma) return tl::unexpected(comma.error());
    }
    auto target = read_target_name();
    if (!target) return tl::unexpected(target.error());
    if (auto sign = expect_sign("="); !sign) return tl::unexpected(sign.error());
    auto value = expression();
    if (!value) return tl::unexpected(value.error());
    block.values.emplace_back(*std::move(target), *std::move(value));
  }
  auto body = read_scope({"endwith"});
  if (!body) return tl::unexpected(body.error());
  take();
  block.body = *std::move(body);
  return block;
}

Outcome<Signature> Parser::read_signature() {
  if (auto open = expect_sign("("); !open) return tl::unexpected(open.error());
  Signature signature;
  while (!is_sign(")")) {
    if (!signature.names.empty()) {
      if (auto comma = expect_sign(","); !comma) return tl::unexpected(comma.error());
    }
    const Token& token = now();
    auto name = expect_name();
    if (!name) return tl::unexpected(name.error());
    const auto& names = signature.names;
    if (std::find(names.begin(), names.end(), *name) != names.end()) {
      return fail(token, fmt::format("two parameters are called '{}'", *name), "rename one");
    }
    if (skip_sign("=")) {
      auto value = expression();
      if (!value) return tl::unexpected(value.error());
      signature.defaults.push_back(*std::move(value));
    } else if (!signature.defaults.empty() || *name == "caller") {
      return fail(token, fmt::format("the parameter '{}' needs a default", *name),
                  "write it as name=value, or move it to the front");
    }
    signature.names.push_back(*std::move(name));
  }
  take();
  return signature;
}

Outcome<Body> Parser::read_macro_body(Signature& signature, std::string_view end) {
  macro_uses_.emplace_back();
  const int outer_loops = std::exchange(loops_, 0);
  auto body = read_scope({end});
  loops_ = outer_loops;
  const MacroUses uses = macro_uses_.back();
  macro_uses_.pop_back();
  signature.uses_caller = uses.caller;
  signature.uses_varargs = uses.varargs;
  signature.uses_kwargs = uses.kwargs;
  if (body) take();
  return body;
}

Outcome<Statement::Node> Parser::read_macro() {
  MacroStatement macro;
  auto name = expect_name();
  if (!name) return tl::unexpected(name.error());
  macro.name = *std::move(name);
  auto signature = read_signature();
  if (!signature) return tl::unexpected(signature.error());
  macro.signature = *std::move(signature);
  auto body = read_macro_body(macro.signature, "endmacro");
  if (!body) return tl::unexpected(body.error());
  macro.body = *std::move(body);
  return macro;
}

Outcome<Statement::Node> Parser::read_call() {
  CallBlock block;
  if (is_sign("(")) {
    auto signature = read_signature();
    if (!signature) return tl::unexpected(signature.error());
    block.signature = *std::move(signature);
  }
  const Token& start = now();
  auto call = expression();
  if (!call) return tl::unexpected(call.error());
  if (!std::holds_alternative<CallExpr>((*call)->node)) {
    return fail(start, "a call block without a call", "write it as: call name(arguments)");
  }
  block.call = *std::move(call);
  auto body = read_macro_body(block.signature, "endcall");
  if (!body) return tl::unexpected(body.error());
  block.body = *std::move(body);
  return block;
}

std::optional<bool> Parser::read_context() {
  const bool with = is_word("with");
  if ((!with && !is_word("without")) || !is_word(ahead(), "context")) return std::nullopt;
  take();
  take();
  return with;
}

Outcome<Statement::Node> Parser::read_include() {
  IncludeStatement include;
  auto names = expression();
  if (!names) return tl::unexpected(names.error());
  include.names = *std::move(names);
  if (is_word("ignore") && is_word(ahead(), "missing")) {
    take();
    take();
    include.ignore_missing = true;
  }
  include.with_context = read_context().value_or(true);
  return include;
}

Outcome<Statement::Node> Parser::read_import() {
  ImportStatement import;
  auto name = expression();
  if (!name) return tl::unexpected(name.error());
  import.name = *std::move(name);
  if (auto as = expect_word("as"); !as) return tl::unexpected(as.error());
  auto target = expect_name();
  if (!target) return tl::unexpected(target.error());
  import.target = *std::move(target);
  import.with_context = read_context().value_or(false);
  return import;
}

Outcome<Statement::Node> Parser::read_from() {
  ImportStatement import;
  auto name = expression();
  if (!name) return tl::unexpected(name.error());
  import.name = *std::move(name);
  if (auto word = expect_word("import"); !word) return tl::unexpected(word.error());
  while (true) {
    if (const auto context = read_context()) {
      import.with_context = *context;
      break;
    }
    const Token& token = now();
    auto wanted = expect_name();
    if (!wanted) return tl::unexpected(wanted.error());
    if (wanted->starts_with('_')) {
      return fail(token, "names that begin with an underscore cannot be imported", "rename it");
    }
    auto alias = skip_word("as") ? expect_name() : wanted;
    if (!alias) return tl::unexpected(alias.error());
    import.names.emplace_back(*std::move(wanted), *std::move(alias));
    if (const auto context = read_context()) {
      import.with_context = *context;
      break;
    }
    if (!skip_sign(",")) break;
  }
  return import;
}

Outcome<Statement::Node> Parser::read_do() {
  auto value = tuple(Conditional::yes);
  if (!value) return tl::unexpected(value.error());
  return DoStatement{*std::move(value)};
}

Outcome<Statement::Node> Parser::read_print() {
  const Position at = now().at;
  ConcatExpr values;
  do {
    auto value = expression();
    if (!value) return tl::unexpected(value.error());
    values.parts.push_back(*std::move(value));
  } while (skip_sign(","));
  return OutputStatement{std::make_unique<Expr>(Expr{at, std::move(values)})};
}

Outcome<Statement::Node> Parser::read_break() {
  if (loops_ == 0) return fail(tokens_[at_ - 1], "break outside of a loop", "remove it");
  return BreakStatement{};
}

Outcome<Statement::Node> Parser::read_continue() {
  if (loops_ == 0) return fail(tokens_[at_ - 1], "continue outside of a loop", "remove it");
  return ContinueStatement{};
}

// Nothing here is HTML, so it can only be switched off.
Outcome<Statement::Node> Parser::read_autoescape() {
  const Token& token = now();
  auto value = expression();
  if (!value) return tl::unexpected(value.error());
  const auto* literal = std::get_if<Literal>(&(*value)->node);
  if (literal == nullptr || !literal->value.is(Kind::boolean) || literal->value.as_boolean()) {
    return fail(token, "escaping for HTML cannot be switched on", "use the filter escape");
  }
  auto body = read_scope({"endautoescape"});
  if (!body) return tl::unexpected(body.error());
  take();
  return WithBlock{{}, *std::move(body)};
}

}  // namespace

Outcome<void> parse(std::string_view text, const Syntax& syntax, Template& into) {
  auto tokens = tokenize(text, into.file, syntax, into.source);
  if (!tokens) return tl::unexpected(tokens.error());
  Parser parser(*std::move(tokens), into.source);
  auto body = parser.run();
  if (!body) return tl::unexpected(body.error());
  into.body = *std::move(body);
  return {};
}

}  // namespace ichor::jinja
