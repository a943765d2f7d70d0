#include <algorithm>
#include <fmt/format.h>

#include "template/statement_parser.h"

// Macros, calls, other templates, and what is left.

namespace ichor::jinja {

Outcome<Signature> StatementParser::read_signature() {
  if (auto open = expect_sign("("); !open) return forward_error(open);
  Signature signature;
  while (!is_sign(")")) {
    if (!signature.names.empty()) {
      if (auto comma = expect_sign(","); !comma) return forward_error(comma);
    }
    const Token& token = now();
    auto name = expect_name();
    if (!name) return forward_error(name);
    const auto& names = signature.names;
    if (std::find(names.begin(), names.end(), *name) != names.end()) {
      return fail(token, fmt::format("two parameters are called '{}'", *name), "rename one");
    }
    if (skip_sign("=")) {
      auto value = expression();
      if (!value) return forward_error(value);
      signature.defaults.push_back(*std::move(value));
    } else if (!signature.defaults.empty()) {
      return fail(token, fmt::format("the parameter '{}' needs a default", *name),
                  "write it as name=value, or move it to the front");
    }
    signature.names.push_back(*std::move(name));
  }
  take();
  return signature;
}

Outcome<Body> StatementParser::read_macro_body(Signature& signature, std::string_view end) {
  macro_uses_.emplace_back();
  const int outer_loops = std::exchange(loops_, 0);
  auto body = read_scope({end});
  loops_ = outer_loops;
  const MacroUses uses = macro_uses_.back();
  macro_uses_.pop_back();
  signature.uses_caller = uses.caller;
  signature.uses_varargs = uses.varargs;
  signature.uses_kwargs = uses.kwargs;
  if (!body) return body;
  const auto& names = signature.names;
  const auto caller = std::find(names.begin(), names.end(), "caller");
  const auto place = static_cast<std::size_t>(caller - names.begin());
  if (uses.caller && place + signature.defaults.size() < names.size()) {
    return fail(now(), "the parameter 'caller' of a macro needs a default", "write: caller=none");
  }
  take();
  return body;
}

Outcome<Statement::Node> StatementParser::read_macro() {
  MacroStatement macro;
  auto name = expect_name();
  if (!name) return forward_error(name);
  macro.name = *std::move(name);
  auto signature = read_signature();
  if (!signature) return forward_error(signature);
  macro.signature = *std::move(signature);
  auto body = read_macro_body(macro.signature, "endmacro");
  if (!body) return forward_error(body);
  macro.body = *std::move(body);
  return macro;
}

Outcome<Statement::Node> StatementParser::read_call() {
  CallBlock block;
  if (is_sign("(")) {
    auto signature = read_signature();
    if (!signature) return forward_error(signature);
    block.signature = *std::move(signature);
  }
  const Token& start = now();
  auto call = expression();
  if (!call) return forward_error(call);
  if (!std::holds_alternative<CallExpr>((*call)->node)) {
    return fail(start, "a call block without a call", "write it as: call name(arguments)");
  }
  block.call = *std::move(call);
  auto body = read_macro_body(block.signature, "endcall");
  if (!body) return forward_error(body);
  block.body = *std::move(body);
  return block;
}

std::optional<bool> StatementParser::read_context() {
  const bool with = is_word("with");
  if ((!with && !is_word("without")) || !is_word(ahead(), "context")) return std::nullopt;
  take();
  take();
  return with;
}

Outcome<Statement::Node> StatementParser::read_include() {
  IncludeStatement include;
  auto names = expression();
  if (!names) return forward_error(names);
  include.names = *std::move(names);
  if (is_word("ignore") && is_word(ahead(), "missing")) {
    take();
    take();
    include.ignore_missing = true;
  }
  include.with_context = read_context().value_or(true);
  return include;
}

Outcome<Statement::Node> StatementParser::read_import() {
  ImportStatement import;
  auto name = expression();
  if (!name) return forward_error(name);
  import.name = *std::move(name);
  if (auto as = expect_word("as"); !as) return forward_error(as);
  auto target = expect_name();
  if (!target) return forward_error(target);
  import.target = *std::move(target);
  import.with_context = read_context().value_or(false);
  return import;
}

Outcome<Statement::Node> StatementParser::read_from() {
  ImportStatement import;
  auto name = expression();
  if (!name) return forward_error(name);
  import.name = *std::move(name);
  if (auto word = expect_word("import"); !word) return forward_error(word);
  while (true) {
    if (const auto context = read_context()) {
      import.with_context = *context;
      break;
    }
    const Token& token = now();
    auto wanted = expect_name();
    if (!wanted) return forward_error(wanted);
    if (wanted->starts_with('_')) {
      return fail(token, "names that begin with an underscore cannot be imported", "rename it");
    }
    auto alias = skip_word("as") ? expect_name() : wanted;
    if (!alias) return forward_error(alias);
    import.names.emplace_back(*std::move(wanted), *std::move(alias));
    if (const auto context = read_context()) {
      import.with_context = *context;
      break;
    }
    if (!skip_sign(",")) break;
  }
  return import;
}

Outcome<Statement::Node> StatementParser::read_extends() {
  auto name = expression();
  if (!name) return forward_error(name);
  return ExtendsStatement{*std::move(name)};
}

Outcome<Statement::Node> StatementParser::read_block_tag() {
  BlockStatement block;
  const Token& token = now();
  auto name = expect_name();
  if (!name) return forward_error(name);
  block.name = *std::move(name);
  if (std::find(block_names_.begin(), block_names_.end(), block.name) != block_names_.end()) {
    return fail(token, fmt::format("two blocks are called '{}'", block.name), "rename one");
  }
  block_names_.push_back(block.name);
  block.is_scoped = skip_word("scoped");
  block.is_required = skip_word("required");
  if (skip_word("scoped")) block.is_scoped = true;
  const int outer_loops = std::exchange(loops_, 0);
  auto body = read_scope({"endblock"});
  loops_ = outer_loops;
  if (!body) return forward_error(body);
  take();
  // The name may be repeated at the end.
  if (now().kind == TokenKind::name && !skip_word(block.name)) {
    return fail(now(), fmt::format("the block '{}' is open here", block.name),
                "close it by its own name");
  }
  block.body = *std::move(body);
  return block;
}

Outcome<Statement::Node> StatementParser::read_do() {
  auto value = tuple(Conditional::yes);
  if (!value) return forward_error(value);
  return DoStatement{*std::move(value)};
}

Outcome<Statement::Node> StatementParser::read_print() {
  const Position at = now().at;
  ConcatExpr values;
  while (now().kind != TokenKind::block_end) {
    if (!values.parts.empty()) {
      if (auto comma = expect_sign(","); !comma) return forward_error(comma);
    }
    auto value = expression();
    if (!value) return forward_error(value);
    values.parts.push_back(*std::move(value));
  }
  return OutputStatement{std::make_unique<Expr>(Expr{at, std::move(values)})};
}

Outcome<Statement::Node> StatementParser::read_break() {
  if (loops_ == 0) return fail(tokens_[at_ - 1], "break outside of a loop", "remove it");
  return BreakStatement{};
}

Outcome<Statement::Node> StatementParser::read_continue() {
  if (loops_ == 0) return fail(tokens_[at_ - 1], "continue outside of a loop", "remove it");
  return ContinueStatement{};
}

// Nothing here is HTML, so it can only be switched off.
Outcome<Statement::Node> StatementParser::read_autoescape() {
  const Token& token = now();
  auto value = expression();
  if (!value) return forward_error(value);
  const auto* literal = std::get_if<Literal>(&(*value)->node);
  if (literal == nullptr || !literal->value.is(Kind::boolean) || literal->value.as_boolean()) {
    return fail(token, "escaping for HTML cannot be switched on", "use the filter escape");
  }
  auto body = read_scope({"endautoescape"});
  if (!body) return forward_error(body);
  take();
  return WithBlock{{}, *std::move(body)};
}

}  // namespace ichor::jinja
