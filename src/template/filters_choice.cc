#include <fmt/format.h>

#include "template/attribute_path.h"
#include "template/filters.h"
#include "template/interpreter.h"
#include "template/operate.h"
#include "template/predicates.h"

namespace ichor::jinja {

namespace {

using Need = Parameter::Need;

/// The name of the filter or test that was given as an argument.
Outcome<std::string> callable_name(const Value& name, std::string_view kind) {
  if (!name.is_string()) {
    return trouble(fmt::format("the name of a {} must be a text", kind), "put it into quotes");
  }
  const std::string& text = name.as_string();
  const bool is_known =
      kind == "filter" ? find_filter(text) != nullptr : find_predicate(text) != nullptr;
  if (is_known) return text;
  Trouble problem;
  problem.what = fmt::format("there is no {} of that name", kind);
  problem.fix = "check its name";
  problem.doubtful_name = text;
  return tl::unexpected(std::move(problem));
}

/// `map('upper')`, `map(attribute='name', default='x')`.
Outcome<Value> map(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto is_any = is_true(input);
  if (!is_any) return forward_error(is_any);
  if (!*is_any) return Value::iterator({});
  const auto items = items_of(input, interpreter.meter());
  if (!items) return forward_error(items);
  Arguments rest = given.rest;
  Items result;
  if (rest.positional.empty()) {
    std::optional<Value> attribute, otherwise;
    for (const auto& [name, value] : rest.named) {
      if (name == "attribute") {
        attribute = value;
      } else if (name == "default") {
        otherwise = value.is_none() ? std::optional<Value>() : value;
      } else {
        return trouble(fmt::format("map has no parameter '{}'", name), "check its name");
      }
    }
    if (!attribute) return trouble("map needs a filter or an attribute", "name one");
    const auto path = AttributePath::of(*attribute);
    if (!path) return forward_error(path);
    for (const Value& item : *items) {
      auto value = path->get(item, interpreter, otherwise);
      if (!value) return value;
      result.push_back(*std::move(value));
    }
    return Value::iterator(std::move(result));
  }
  const auto name = callable_name(rest.positional[0], "filter");
  if (!name) return forward_error(name);
  rest.positional.erase(rest.positional.begin());
  for (const Value& item : *items) {
    auto value = interpreter.apply_filter(*name, item, rest);
    if (!value) return value;
    result.push_back(*std::move(value));
  }
  return Value::iterator(std::move(result));
}

struct Choice {
  bool by_attribute;
  bool wanted;  // whether items stay for which the test holds
};

/// `select('odd')`, `selectattr('role', 'equalto', 'worker')`; without a test, what is true.
template <Choice choice>
Outcome<Value> choose(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto is_any = is_true(input);
  if (!is_any) return forward_error(is_any);
  if (!*is_any) return Value::iterator({});
  const auto items = items_of(input, interpreter.meter());
  if (!items) return forward_error(items);
  Arguments rest = given.rest;
  const auto take_first = [&] {
    Value taken = std::move(rest.positional.front());
    rest.positional.erase(rest.positional.begin());
    return taken;
  };
  Value attribute;
  if (choice.by_attribute) {
    if (rest.positional.empty()) return trouble("an attribute is needed", "name one in quotes");
    attribute = take_first();
  }
  const auto path = AttributePath::of(attribute);
  if (!path) return forward_error(path);
  std::string test;
  if (!rest.positional.empty()) {
    auto name = callable_name(take_first(), "test");
    if (!name) return forward_error(name);
    test = *std::move(name);
  }
  Items result;
  for (const Value& item : *items) {
    auto value = path->get(item, interpreter);
    if (!value) return value;
    const auto holds = test.empty() ? is_true(*value) : interpreter.apply_test(test, *value, rest);
    if (!holds) return forward_error(holds);
    if (*holds == choice.wanted) result.push_back(item);
  }
  return Value::iterator(std::move(result));
}

}  // namespace

const std::vector<Filter>& choice_filters() {
  static const std::vector<Filter> filters{
      {"map", {{"rest", Need::rest}}, map},
      {"select", {{"rest", Need::rest}}, choose<Choice{false, true}>},
      {"reject", {{"rest", Need::rest}}, choose<Choice{false, false}>},
      {"selectattr", {{"rest", Need::rest}}, choose<Choice{true, true}>},
      {"rejectattr", {{"rest", Need::rest}}, choose<Choice{true, false}>},
  };
  return filters;
}

}  // namespace ichor::jinja
