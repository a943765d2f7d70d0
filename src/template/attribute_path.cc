#include "template/attribute_path.h"

#include <algorithm>
#include <fmt/format.h>

#include "template/interpreter.h"
#include "template/number.h"
#include "template/operate.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

Outcome<AttributePath> AttributePath::of(const Value& attribute) {
  AttributePath path;
  if (attribute.is_none()) return path;
  if (auto defined = need_defined(attribute); !defined) return forward_error(defined);
  if (!attribute.is_string()) {
    path.parts_.push_back(attribute);
    return path;
  }
  for (const std::string_view part : split(attribute.as_string(), '.')) {
    const bool is_number = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
      return is_digit(static_cast<unsigned char>(c));
    });
    const auto number = is_number ? read_integer(part) : std::nullopt;
    path.parts_.push_back(number ? Value::integer(*number) : Value::string(std::string(part)));
  }
  return path;
}

Outcome<std::vector<AttributePath>> AttributePath::several(const Value& attribute) {
  std::vector<AttributePath> paths;
  Items names{attribute};
  if (attribute.is_string()) {
    names.clear();
    for (const std::string_view name : split(attribute.as_string(), ',')) {
      names.push_back(Value::string(std::string(name)));
    }
  }
  for (const Value& name : names) {
    auto path = of(name);
    if (!path) return forward_error(path);
    paths.push_back(*std::move(path));
  }
  return paths;
}

Outcome<Value> AttributePath::get(const Value& item, Interpreter& interpreter,
                                  const std::optional<Value>& otherwise) const {
  Value value = item;
  for (const Value& part : parts_) {
    auto found = interpreter.item(value, part);
    if (!found) return found;
    value = *std::move(found);
    if (value.is_undefined() && otherwise) value = *otherwise;
  }
  return value;
}

Value folded(const Value& value) {
  return value.is_string() ? Value::string(to_lower(value.as_string())) : value;
}

}  // namespace ichor::jinja
