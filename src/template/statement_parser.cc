#include "template/statement_parser.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"

// The body of a template, branches, loops and assignments.

namespace ichor::jinja {

const std::vector<StatementParser::Tag>& StatementParser::tags() {
  static const std::vector<Tag> list{{"if", &StatementParser::read_if},
                                     {"for", &StatementParser::read_for},
                                     {"set", &StatementParser::read_set},
                                     {"filter", &StatementParser::read_filter},
                                     {"with", &StatementParser::read_with},
                                     {"macro", &StatementParser::read_macro},
                                     {"call", &StatementParser::read_call},
                                     {"include", &StatementParser::read_include},
                                     {"import", &StatementParser::read_import},
                                     {"from", &StatementParser::read_from},
                                     {"extends", &StatementParser::read_extends},
                                     {"block", &StatementParser::read_block_tag},
                                     {"do", &StatementParser::read_do},
                                     {"print", &StatementParser::read_print},
                                     {"break", &StatementParser::read_break},
                                     {"continue", &StatementParser::read_continue},
                                     {"autoescape", &StatementParser::read_autoescape}};
  return list;
}

Outcome<Body> StatementParser::read_body(Words ends) {
  const Depth depth(depth_);
  if (auto ok = check_depth(); !ok) return forward_error(ok);
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
        if (!output) return forward_error(output);
        body.push_back(*std::move(output));
        break;
      }
      default: {
        take();
        const bool is_end = std::any_of(ends.begin(), ends.end(),
                                        [this](std::string_view end) { return is_word(end); });
        if (is_end) return body;
        auto statement = read_statement();
        if (!statement) return forward_error(statement);
        body.push_back(*std::move(statement));
        if (now().kind != TokenKind::block_end) return unexpected_token("the end of the tag");
        take();
      }
    }
  }
}

Outcome<Body> StatementParser::read_block(Words ends) {
  skip_sign(":");
  if (now().kind != TokenKind::block_end) return unexpected_token("the end of the tag");
  take();
  return read_body(ends);
}

Outcome<Body> StatementParser::read_scope(Words ends) {
  const bool was_in_branch = std::exchange(in_branch_, false);
  auto body = read_block(ends);
  in_branch_ = was_in_branch;
  return body;
}

Outcome<Statement> StatementParser::read_output() {
  const Position at = take().at;
  auto value = tuple(Conditional::yes);
  if (!value) return forward_error(value);
  if (now().kind != TokenKind::variable_end) return unexpected_token("the end of the tag");
  take();
  return Statement{at, OutputStatement{*std::move(value)}};
}

tl::unexpected<Trouble> StatementParser::unknown_tag() {
  if (now().kind != TokenKind::name) return unexpected_token("the name of a tag");
  const std::string& name = now().text;
  if (name == "trans" || name == "pluralize" || name == "debug") {
    return fail(now(), fmt::format("the tag '{}' of a Jinja extension is not supported", name),
                "write the text out");
  }
  if (name.starts_with("end") || name == "else" || name == "elif") {
    return fail(now(), fmt::format("'{}' without the block that it would belong to", name),
                "check which block is open here");
  }
  std::vector<std::string_view> known{"raw"};
  for (const Tag& tag : tags()) known.push_back(tag.name);
  return fail(now(), fmt::format("there is no tag called '{}'", name), name_hint(name, known));
}

Outcome<Statement> StatementParser::read_statement() {
  const Token& name = now();
  const auto tag = std::find_if(tags().begin(), tags().end(),
                                [&](const Tag& known) { return is_word(known.name); });
  if (tag == tags().end()) return unknown_tag();
  take();
  auto node = (this->*tag->read)();
  if (!node) return forward_error(node);
  return Statement{name.at, *std::move(node)};
}

Outcome<Statement::Node> StatementParser::read_if() {
  IfStatement statement;
  const bool was_in_branch = std::exchange(in_branch_, true);
  while (true) {
    const std::size_t from = at_;
    auto condition = tuple(Conditional::no);
    if (!condition) return forward_error(condition);
    std::string text = "if " + written(from);
    auto body = read_block({"elif", "else", "endif"});
    if (!body) return forward_error(body);
    statement.branches.push_back(
        {*std::move(condition), tokens_[from].at, std::move(text), *std::move(body)});
    if (!skip_word("elif")) break;
  }
  if (skip_word("else")) {
    auto body = read_block({"endif"});
    if (!body) return forward_error(body);
    statement.otherwise = *std::move(body);
  }
  take();
  in_branch_ = was_in_branch;
  return statement;
}

Outcome<Target> StatementParser::read_target_name() {
  const Token& token = now();
  if (skip_sign("(")) {
    auto inner = read_target({});
    if (!inner) return inner;
    if (auto closed = expect_sign(")"); !closed) return forward_error(closed);
    return inner;
  }
  auto name = expect_name();
  if (!name) return forward_error(name);
  static constexpr std::string_view constants[] = {"true",  "True", "false",
                                                   "False", "none", "None"};
  if (std::find(std::begin(constants), std::end(constants), *name) != std::end(constants)) {
    return fail(token, "a constant cannot be assigned to", "use another name");
  }
  return Target{token.at, *std::move(name), {}, {}, false};
}

Outcome<Target> StatementParser::read_target(std::string_view end_word) {
  const Depth depth(depth_);
  if (auto ok = check_depth(); !ok) return forward_error(ok);
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

Outcome<Statement::Node> StatementParser::read_for() {
  ForStatement statement;
  const std::size_t from = at_;
  auto target = read_target("in");
  if (!target) return forward_error(target);
  statement.target = *std::move(target);
  if (statement.target.name == "loop") {
    return fail(tokens_[from], "loop is the loop's own name", "use another name");
  }
  if (auto in = expect_word("in"); !in) return forward_error(in);
  auto iterable = tuple(Conditional::no, "recursive");
  if (!iterable) return forward_error(iterable);
  statement.iterable = *std::move(iterable);
  if (skip_word("if")) {
    auto condition = expression();
    if (!condition) return forward_error(condition);
    statement.condition = *std::move(condition);
  }
  statement.is_recursive = skip_word("recursive");
  statement.at = tokens_[from].at;
  statement.text = "for " + written(from);
  ++loops_;
  loop_uses_.push_back(false);
  auto body = read_scope({"endfor", "else"});
  statement.uses_loop = loop_uses_.back();
  loop_uses_.pop_back();
  --loops_;
  if (!body) return forward_error(body);
  statement.body = *std::move(body);
  if (skip_word("else")) {
    auto otherwise = read_scope({"endfor"});
    if (!otherwise) return forward_error(otherwise);
    statement.otherwise = *std::move(otherwise);
  }
  take();
  return statement;
}

Outcome<Statement::Node> StatementParser::read_set() {
  Target target;
  if (now().kind == TokenKind::name && is_sign(ahead(), ".")) {
    target.at = now().at;
    target.name = take().text;
    take();
    auto attribute = expect_name();
    if (!attribute) return forward_error(attribute);
    target.attribute = *std::move(attribute);
  } else {
    auto read = read_target({});
    if (!read) return forward_error(read);
    target = *std::move(read);
  }
  if (skip_sign("=")) {
    auto value = tuple(Conditional::yes);
    if (!value) return forward_error(value);
    return SetStatement{std::move(target), *std::move(value)};
  }
  auto filter = filters(nullptr);
  if (!filter) return forward_error(filter);
  auto body = read_scope({"endset"});
  if (!body) return forward_error(body);
  take();
  return SetBlock{std::move(target), *std::move(filter), *std::move(body)};
}

Outcome<Statement::Node> StatementParser::read_filter() {
  auto filter = filters(nullptr, true);
  if (!filter) return forward_error(filter);
  auto body = read_scope({"endfilter"});
  if (!body) return forward_error(body);
  take();
  return FilterBlock{*std::move(filter), *std::move(body)};
}

Outcome<Statement::Node> StatementParser::read_with() {
  WithBlock block;
  while (now().kind != TokenKind::block_end) {
    if (!block.values.empty()) {
      if (auto comma = expect_sign(","); !comma) return forward_error(comma);
    }
    auto target = read_target_name();
    if (!target) return forward_error(target);
    if (auto sign = expect_sign("="); !sign) return forward_error(sign);
    auto value = expression();
    if (!value) return forward_error(value);
    block.values.emplace_back(*std::move(target), *std::move(value));
  }
  auto body = read_scope({"endwith"});
  if (!body) return forward_error(body);
  take();
  block.body = *std::move(body);
  return block;
}

}  // namespace ichor::jinja
