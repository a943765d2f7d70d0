#include "template/objects.h"

#include <algorithm>
#include <fmt/format.h>

#include "template/interpreter.h"
#include "template/operate.h"
#include "template/print.h"

namespace ichor::jinja {

namespace {

Value nothing_there(std::string what) {
  Undefined why;
  why.what = std::move(what);
  return Value::undefined(std::move(why));
}

Value function(Value self, Function::Body body) {
  return Value::object(std::make_shared<Function>(std::move(self), std::move(body)));
}

}  // namespace

Outcome<Value> Object::call(Interpreter&, const Arguments&) {
  return trouble(fmt::format("{} cannot be called", type()), "remove the parentheses");
}

Outcome<std::string> Object::print(Meter&) const {
  return trouble(fmt::format("{} cannot be printed", type()), "call it, or print an attribute");
}

Outcome<std::optional<Value>> Macro::attribute(std::string_view name, Interpreter&) {
  if (name == "name") return Value::string(name_);
  if (name == "arguments") {
    Items names;
    for (const std::string& argument : signature_.names) names.push_back(Value::string(argument));
    return Value::tuple(std::move(names));
  }
  if (name == "catch_kwargs") return Value::boolean(signature_.uses_kwargs);
  if (name == "catch_varargs") return Value::boolean(signature_.uses_varargs);
  if (name == "caller") return Value::boolean(signature_.uses_caller);
  return std::optional<Value>();
}

Outcome<Value> Macro::call(Interpreter& interpreter, const Arguments& arguments) {
  const auto scope = scope_.lock();
  if (scope == nullptr) {
    return trouble(fmt::format("the macro '{}' is called outside of its block", name_),
                   "define the macro outside of the loop or block");
  }
  const auto& names = signature_.names;
  auto named = arguments.named;
  const auto take_named = [&](std::string_view name) -> std::optional<Value> {
    const auto found = std::find_if(named.begin(), named.end(),
                                    [&](const auto& argument) { return argument.first == name; });
    if (found == named.end()) return std::nullopt;
    Value value = std::move(found->second);
    named.erase(found);
    return value;
  };
  Items values(names.size());
  std::vector<bool> is_given(names.size(), false);
  const std::size_t positional = std::min(names.size(), arguments.positional.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto value = i < positional ? std::optional(arguments.positional[i]) : take_named(names[i]);
    is_given[i] = value.has_value();
    if (value) values[i] = *std::move(value);
  }
  std::vector<std::pair<std::string, Value>> extra;
  const bool has_own_caller = std::find(names.begin(), names.end(), "caller") != names.end();
  if (signature_.uses_caller && !has_own_caller) {
    auto caller = take_named("caller");
    extra.emplace_back("caller", caller ? *caller : nothing_there("no caller is defined"));
  }
  if (signature_.uses_kwargs) {
    Value rest = Value::dict();
    for (auto& [name, value] : named) rest.as_dict()->put(Value::string(name), value);
    extra.emplace_back("kwargs", std::move(rest));
  } else if (!named.empty()) {
    return trouble(
        fmt::format("the macro '{}' takes no argument '{}' by name", name_, named.front().first),
        "remove it, or use kwargs in the macro");
  }
  if (signature_.uses_varargs) {
    Items rest(arguments.positional.begin() + static_cast<std::ptrdiff_t>(positional),
               arguments.positional.end());
    extra.emplace_back("varargs", Value::tuple(std::move(rest)));
  } else if (arguments.positional.size() > names.size()) {
    return trouble(fmt::format("the macro '{}' takes at most {} arguments", name_, names.size()),
                   "remove some, or use varargs in the macro");
  }
  auto text = interpreter.run_macro(signature_, body_, scope, values, is_given, extra);
  if (!text) return forward_error(text);
  return Value::string(*std::move(text));
}

Outcome<std::optional<Value>> Namespace::attribute(std::string_view name, Interpreter&) {
  const Value* found = attributes_.as_dict()->find(name);
  return found == nullptr ? std::optional<Value>() : std::optional<Value>(*found);
}

Outcome<std::string> Namespace::print(Meter& meter) const {
  auto text = represent(attributes_, meter);
  if (!text) return text;
  return "<Namespace " + *text + ">";
}

void Namespace::set(std::string_view name, Value value) {
  attributes_.as_dict()->put(Value::string(std::string(name)), std::move(value));
}

Outcome<std::optional<Value>> Module::attribute(std::string_view name, Interpreter&) {
  const auto scope = scope_.lock();
  if (scope == nullptr || name.starts_with('_')) return std::optional<Value>();
  for (const auto& [known, value] : scope->names) {
    if (known == name) return std::optional<Value>(value);
  }
  return std::optional<Value>();
}

Outcome<std::string> Module::print(Meter& meter) const {
  if (auto paid = meter.spend_text(text_.size()); !paid) return forward_error(paid);
  return text_;
}

void Module::held(Items& out) const {
  const auto scope = scope_.lock();
  if (scope == nullptr) return;
  for (const auto& [name, value] : scope->names) out.push_back(value);
}

Outcome<std::optional<Value>> Cycler::attribute(std::string_view name, Interpreter&) {
  const auto at = [](const Value& items, std::size_t place) {
    return items.as_tuple()->items[place];
  };
  if (name == "current") return at(items_, *place_);
  if (name == "next") {
    return function(
        items_,
        [place = place_, at](const Value& self, const Arguments&, Interpreter&) -> Outcome<Value> {
          const Value value = at(self, *place);
          *place = (*place + 1) % self.as_tuple()->items.size();
          return value;
        });
  }
  if (name == "reset") {
    return function(
        items_, [place = place_](const Value&, const Arguments&, Interpreter&) -> Outcome<Value> {
          *place = 0;
          return Value::none();
        });
  }
  return std::optional<Value>();
}

Outcome<Value> Joiner::call(Interpreter&, const Arguments&) {
  if (std::exchange(is_used_, true)) return text_;
  return Value::string("");
}

}  // namespace ichor::jinja
