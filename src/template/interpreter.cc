#include "template/interpreter.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/nearest_name.h"
#include "template/filters.h"
#include "template/methods.h"
#include "template/objects.h"
#include "template/operate.h"
#include "template/parser.h"
#include "template/predicates.h"
#include "template/print.h"

namespace ichor::jinja {

Interpreter::Interpreter(const Value& variables, const Options& options, Loader* loader)
    : options_(options),
      loader_(loader),
      meter_(options.limits),
      scope_(outer_scope(deep_copy(variables).as_dict())) {}

Outcome<std::string> Interpreter::run(std::string_view text, const std::string& file) {
  auto& made = templates_[""];
  made = std::make_unique<Template>();
  made->file = file;
  Outcome<std::string> result;
  if (text.size() > options_.limits.source_bytes_max) {
    result = trouble(
        fmt::format("the template has more than {} bytes", options_.limits.source_bytes_max),
        "split it with include");
  } else if (auto parsed = parse(text, options_.syntax, *made); !parsed) {
    result = forward_error(parsed);
  } else {
    result = render_family(*made, scope_);
  }
  if (!result && result.error().at.file == nullptr) result.error().at = {&made->file, 1, 1};
  return result;
}

bool Interpreter::is_written(const std::string& name) const {
  return std::any_of(templates_.begin(), templates_.end(), [&](const auto& known) {
    return known.second->source.find(name) != std::string::npos;
  });
}

Outcome<Value> Interpreter::call(const Value& callee, const Arguments& arguments) {
  if (auto defined = need_defined(callee); !defined) return forward_error(defined);
  if (!callee.is(Kind::object) || !callee.as_object()->is_callable()) {
    return trouble(fmt::format("{} cannot be called", type_name(callee)), "remove the parentheses");
  }
  const Meter::Level level(meter_);
  if (auto ok = level.ok(); !ok) return forward_error(ok);
  // Kept alive here: the call may take it out of the scope that holds it.
  const std::shared_ptr<Object> object = callee.as_object();
  return object->call(*this, arguments);
}

Outcome<Value> Interpreter::apply_filter(std::string_view name, const Value& input,
                                         const Arguments& arguments) {
  if (auto paid = meter_.spend(); !paid) return forward_error(paid);
  const Filter* filter = find_filter(name);
  if (filter == nullptr) {
    return trouble(fmt::format("there is no filter called '{}'", name),
                   name_hint(name, filter_names()));
  }
  auto given = bind_arguments(arguments, filter->parameters, "filter", name);
  if (!given) return forward_error(given);
  return filter->apply(input, *given, *this);
}

Outcome<bool> Interpreter::apply_test(std::string_view name, const Value& input,
                                      const Arguments& arguments) {
  if (auto paid = meter_.spend(); !paid) return forward_error(paid);
  const Predicate* predicate = find_predicate(name);
  if (predicate == nullptr) {
    return trouble(fmt::format("there is no test called '{}'", name),
                   name_hint(name, predicate_names()));
  }
  const std::size_t wanted = predicate->argument_count;
  if (!arguments.named.empty() || arguments.positional.size() != wanted) {
    return trouble(
        fmt::format("the test '{}' takes {} argument{}", name, wanted, wanted == 1 ? "" : "s"),
        "check its arguments");
  }
  return predicate->holds(input, wanted > 0 ? arguments.positional[0] : Value::none(), *this);
}

Outcome<Value> Interpreter::attribute(const Value& value, std::string_view name) {
  if (auto defined = need_defined(value); !defined) return forward_error(defined);
  if (const Method method = find_method(value.kind(), name)) {
    return Value::object(std::make_shared<Function>(value, method));
  }
  if (value.is(Kind::object)) {
    auto found = value.as_object()->attribute(name, *this);
    if (!found) return forward_error(found);
    if (*found) return **found;
  }
  if (value.is(Kind::tuple) && value.as_tuple()->is_group) {
    if (name == "grouper") return value.as_tuple()->items[0];
    if (name == "list") return value.as_tuple()->items[1];
  }
  if (value.is(Kind::dict)) {
    if (const Value* found = value.as_dict()->find(name)) return *found;
  }
  Undefined why;
  why.what = fmt::format("{} has no attribute '{}'", type_name(value), name);
  why.name = name;
  if (value.is(Kind::dict)) why.owner = value.as_dict();
  return Value::undefined(std::move(why));
}

Outcome<Value> Interpreter::item(const Value& value, const Value& key) {
  auto found = item_of(value, key);
  if (!found) return forward_error(found);
  if (*found) return **found;
  Undefined why;
  if (key.is_string()) {
    auto member = attribute(value, key.as_string());
    if (!member || !member->is_undefined()) return member;
    why = member->as_undefined();
    why.is_doubtful = true;
  }
  if (auto defined = need_defined(key); !defined) return forward_error(defined);
  why.what = fmt::format("{} has no such item", type_name(value));
  return Value::undefined(std::move(why));
}

}  // namespace ichor::jinja
