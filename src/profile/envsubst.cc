#include "profile/envsubst.h"

#include <fmt/format.h>

#include "yaml/document.h"

namespace ichor {

namespace {

bool is_name_char(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view take_name(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_name_char(text[length])) ++length;
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  return name;
}

using Value = tl::expected<std::string, std::string>;

Value value_of(std::string_view name, const Variables& variables) {
  auto value = variables(std::string(name));
  if (!value) return tl::unexpected(fmt::format("the variable {} is not set", name));
  if (value->empty()) return tl::unexpected(fmt::format("the variable {} is empty", name));
  return *std::move(value);
}

/// What stands behind an operator: a text, or a variable.
Value alternative(std::string_view text, const Variables& variables) {
  if (text.size() > 1 && text.front() == '$') {
    std::string_view rest = text.substr(1);
    const std::string_view name = take_name(rest);
    if (!name.empty() && rest.empty()) return value_of(name, variables);
  }
  return std::string(text);
}

/// The inside of ${...}.
Value expand(std::string_view inside, const Variables& variables) {
  const std::string_view written = inside;
  const std::string_view name = take_name(inside);
  if (name.empty()) return tl::unexpected(fmt::format("${{{}}} names no variable", written));
  if (inside.empty()) return value_of(name, variables);
  const bool colon = inside.front() == ':';
  if (colon) inside.remove_prefix(1);
  const char op = inside.empty() ? ' ' : inside.front();
  if (op != '-' && op != '=' && op != '+') {
    return tl::unexpected(fmt::format("${{{}}} has no operator that we know", written));
  }
  inside.remove_prefix(1);
  if (inside.empty()) return value_of(name, variables);
  const auto value = variables(std::string(name));
  if (op == '+') return value ? alternative(inside, variables) : Value(std::string());
  const bool missing = !value || (colon && value->empty());
  return missing ? alternative(inside, variables) : value_of(name, variables);
}

}  // namespace

tl::expected<std::string, std::string> substitute(std::string_view text,
                                                  const Variables& variables) {
  std::string result;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    result += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    if (text.starts_with('$')) {
      result += '$';
      text.remove_prefix(1);
      continue;
    }
    Value value = std::string("$");
    if (text.starts_with('{')) {
      const std::size_t close = text.find_first_of("}\n");
      if (close == std::string_view::npos || text[close] != '}') {
        return tl::unexpected(std::string("${ without its closing brace"));
      }
      value = expand(text.substr(1, close - 1), variables);
      text.remove_prefix(close + 1);
    } else if (!text.empty() && is_name_char(text.front())) {
      const std::string_view name = take_name(text);
      value = name == "_" ? Value("$_") : value_of(name, variables);
    }
    if (!value) return value;
    result += *value;
  }
  return result;
}

namespace {

void substitute_scalar(yaml::Node& node, const Variables& variables, ReadingLog& log) {
  if (node.text.find('$') == std::string::npos) return;
  auto text = substitute(node.text, variables);
  if (!text) {
    log.add(node.at, "profile.variable", text.error(),
            "set it in the environment or in talenv.yaml");
    return;
  }
  const bool flow = text->starts_with('[') || text->starts_with('{');
  if (node.style == yaml::Style::plain && flow) {
    if (auto parsed = yaml::parse_single(*text, log.source.file())) {
      const yaml::Position at = node.at;
      node = std::move(parsed->root);
      node.at = at;
      return;
    }
  }
  node.text = *std::move(text);
}

}  // namespace

void substitute(yaml::Node& node, const Variables& variables, ReadingLog& log) {
  if (node.is_scalar()) return substitute_scalar(node, variables, log);
  for (yaml::Node& item : node.items) substitute(item, variables, log);
  for (yaml::Entry& entry : node.entries) {
    substitute_scalar(entry.key, variables, log);
    substitute(entry.value, variables, log);
  }
}

}  // namespace ichor
