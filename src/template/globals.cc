#include "template/globals.h"

#include <fmt/format.h>

#include "template/bind.h"
#include "template/interpreter.h"
#include "template/objects.h"
#include "template/operate.h"

namespace ichor::jinja {

namespace {

using Need = Parameter::Need;

Outcome<Value> make_range(const Value&, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"start", Need::required}, {"stop"}, {"step"}},
                                    "function", "range");
  if (!given) return forward_error(given);
  const auto first = given->integer(0, 0);
  const auto second = given->integer(1, 0);
  const auto step = given->integer(2, 1);
  for (const auto* number : {&first, &second, &step}) {
    if (!*number) return tl::unexpected(number->error());
  }
  if (*step == 0) return trouble("the step of a range is zero", "use another step");
  const Range range = given->has(1) ? Range{*first, *second, *step} : Range{0, *first, 1};
  const std::int64_t most = interpreter.meter().limits().range_max;
  if (range.size() > most) {
    return trouble(fmt::format("a range of more than {} numbers", most), "use a smaller range");
  }
  return Value::range(range);
}

/// dict(pairs, name=value…).
Outcome<Value> make_dict(const Value&, const Arguments& arguments, Interpreter& interpreter) {
  const auto given =
      bind_arguments(arguments, {{"entries"}, {"rest", Need::rest}}, "function", "dict");
  if (!given) return forward_error(given);
  if (!given->rest.positional.empty()) {
    return trouble("dict takes one list of pairs or one dict", "remove the others");
  }
  Value dict = Value::dict();
  if (given->has(0)) {
    if (auto done = update_dict(*dict.as_dict(), given->value(0), interpreter.meter()); !done) {
      return forward_error(done);
    }
  }
  for (const auto& [name, value] : given->rest.named) {
    dict.as_dict()->put(Value::string(name), value);
  }
  return dict;
}

Outcome<Value> make_namespace(const Value& self, const Arguments& arguments,
                              Interpreter& interpreter) {
  auto attributes = make_dict(self, arguments, interpreter);
  if (!attributes) return attributes;
  return Value::object(std::make_shared<Namespace>(*std::move(attributes)));
}

Outcome<Value> make_cycler(const Value&, const Arguments& arguments, Interpreter&) {
  if (arguments.positional.empty()) return trouble("cycler needs values", "write at least one");
  return Value::object(std::make_shared<Cycler>(arguments.positional));
}

Outcome<Value> make_joiner(const Value&, const Arguments& arguments, Interpreter&) {
  const auto given = bind_arguments(arguments, {{"sep"}}, "function", "joiner");
  if (!given) return forward_error(given);
  return Value::object(
      std::make_shared<Joiner>(given->has(0) ? given->value(0) : Value::string(", ")));
}

}  // namespace

std::optional<Value> find_global(std::string_view name) {
  static constexpr std::pair<std::string_view,
                             Outcome<Value> (*)(const Value&, const Arguments&, Interpreter&)>
      functions[] = {{"range", make_range},
                     {"dict", make_dict},
                     {"namespace", make_namespace},
                     {"cycler", make_cycler},
                     {"joiner", make_joiner}};
  for (const auto& [known, function] : functions) {
    if (known == name) return Value::object(std::make_shared<Function>(Value::none(), function));
  }
  return std::nullopt;
}

}  // namespace ichor::jinja
