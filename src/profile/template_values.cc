#include "profile/template_values.h"

namespace ichor {

namespace {

using jinja::Value;
using Converted = tl::expected<Value, yaml::SyntaxError>;

Converted scalar_value(const yaml::Node& node, const std::string& file) {
  switch (node.scalar_type().value_or(yaml::ScalarType::string)) {
    case yaml::ScalarType::null: return Value::none();
    case yaml::ScalarType::boolean: return Value::boolean(node.as_bool().value_or(false));
    case yaml::ScalarType::integer:
      if (const auto number = node.as_int()) return Value::integer(*number);
      return tl::unexpected(yaml::SyntaxError{
          file, node.at,
          "a number that cannot be read for certain: it begins with a zero or needs more than 64 "
          "bits (put it into quotes, or write it in another way)"});
    case yaml::ScalarType::floating:
      if (const auto number = node.as_double()) return Value::floating(*number);
      break;
    case yaml::ScalarType::string: break;
  }
  return Value::string(node.text);
}

}  // namespace

Converted template_value(const yaml::Node& node, const std::string& file) {
  switch (node.kind) {
    case yaml::Kind::null: return Value::none();
    case yaml::Kind::scalar: return scalar_value(node, file);
    case yaml::Kind::sequence: {
      jinja::Items items;
      for (const yaml::Node& item : node.items) {
        auto value = template_value(item, file);
        if (!value) return value;
        items.push_back(*std::move(value));
      }
      return Value::list(std::move(items));
    }
    case yaml::Kind::mapping: {
      Value dict = Value::dict();
      for (const auto& [key_node, value_node] : node.entries) {
        auto key = template_value(key_node, file);
        if (!key) return key;
        auto value = template_value(value_node, file);
        if (!value) return value;
        dict.as_dict()->put(*key, *std::move(value));
      }
      return dict;
    }
  }
  return Value::none();
}

}  // namespace ichor
