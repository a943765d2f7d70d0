#include "yaml/node.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "yaml/scalar.h"

namespace ichor::yaml {

const Node* Node::find(std::string_view key) const {
  if (kind != Kind::mapping) return nullptr;
  for (const Entry& entry : entries) {
    if (entry.key.text == key) return &entry.value;
  }
  return nullptr;
}

const Node* Node::find_path(std::initializer_list<std::string_view> keys) const {
  const Node* node = this;
  for (const std::string_view key : keys) {
    node = node->find(key);
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::optional<ScalarType> Node::scalar_type() const {
  if (kind == Kind::null) return ScalarType::null;
  if (kind != Kind::scalar) return std::nullopt;
  return style == Style::quoted ? ScalarType::string : resolve_core(text);
}

std::optional<bool> Node::as_bool() const {
  if (scalar_type() != ScalarType::boolean) return std::nullopt;
  return text.front() == 't' || text.front() == 'T';
}

std::optional<std::int64_t> Node::as_int() const {
  if (scalar_type() != ScalarType::integer) return std::nullopt;
  std::string_view digits = text;
  const bool negative = digits.front() == '-';
  if (negative || digits.front() == '+') digits.remove_prefix(1);
  int base = 10;
  if (digits.size() > 1 && digits.front() == '0') {
    if (digits[1] == 'x') base = 16;
    if (digits[1] == 'o') base = 8;
    if (base == 10) return std::nullopt;
    digits.remove_prefix(2);
  }
  std::uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, magnitude, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  constexpr auto max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > max + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? ~magnitude + 1 : magnitude);
}

std::optional<double> Node::as_double() const {
  const auto type = scalar_type();
  if (type == ScalarType::integer) {
    const auto whole = as_int();
    return whole ? std::optional<double>(static_cast<double>(*whole)) : std::nullopt;
  }
  if (type != ScalarType::floating) return std::nullopt;
  std::string_view digits = text;
  const bool negative = digits.front() == '-';
  if (negative || digits.front() == '+') digits.remove_prefix(1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (digits == ".inf" || digits == ".Inf" || digits == ".INF") {
    return negative ? -infinity : infinity;
  }
  if (digits.front() == '.' && digits.size() == 4 && (digits[1] == 'n' || digits[1] == 'N')) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  return negative ? -number : number;
}

std::optional<std::string_view> Node::as_string() const {
  if (scalar_type() != ScalarType::string) return std::nullopt;
  return text;
}

std::optional<std::string_view> Node::as_text() const {
  if (kind != Kind::scalar) return std::nullopt;
  return text;
}

std::string_view describe(const Node& node) {
  switch (node.kind) {
    case Kind::null: return "nothing";
    case Kind::sequence: return "a list";
    case Kind::mapping: return "a mapping";
    case Kind::scalar: break;
  }
  switch (node.scalar_type().value_or(ScalarType::string)) {
    case ScalarType::null: return "nothing";
    case ScalarType::boolean: return "true or false";
    case ScalarType::integer: return "an integer";
    case ScalarType::floating: return "a number";
    case ScalarType::string: return "a string";
  }
  return "?";
}

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items) count += count_nodes(item);
  for (const Entry& entry : node.entries) count += 1 + count_nodes(entry.value);
  return count;
}

int height(const Node& node) {
  int below = 0;
  for (const Node& item : node.items) below = std::max(below, height(item));
  for (const Entry& entry : node.entries) below = std::max(below, height(entry.value));
  return below + 1;
}

void wipe(Node& node) {
  if (!node.text.empty()) explicit_bzero(node.text.data(), node.text.size());
  for (Node& item : node.items) wipe(item);
  for (Entry& entry : node.entries) wipe(entry.value);
  node.kind = Kind::null;
  node.text.clear();
  node.items.clear();
  node.entries.clear();
}

}  // namespace ichor::yaml
