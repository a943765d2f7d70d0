#include <cmath>
#include <fmt/format.h>

#include "template/filters.h"
#include "template/interpreter.h"
#include "template/number.h"
#include "template/operate.h"
#include "template/print.h"

namespace ichor::jinja {

namespace {

using Need = Parameter::Need;

Outcome<Value> default_value(const Value& input, const Given& given, Interpreter&) {
  const Value otherwise = given.has(0) ? given.value(0) : Value::string("");
  if (input.is_undefined()) return otherwise;
  const auto also_false = given.flag(1, false);
  if (!also_false) return forward_error(also_false);
  if (!*also_false) return input;
  const auto truth = is_true(input);
  if (!truth) return forward_error(truth);
  return *truth ? input : otherwise;
}

Outcome<Value> need_no_undefined(const Value& input) {
  if (!input.is_undefined()) return input;
  return tl::unexpected(need_defined(input).error());
}

Outcome<Value> to_integer(const Value& input, const Given& given, Interpreter&) {
  const Value otherwise = given.has(0) ? given.value(0) : Value::integer(0);
  const auto base = given.integer(1, 10);
  if (!base) return forward_error(base);
  if (*base != 0 && (*base < 2 || *base > 36)) {
    return trouble("a base of numbers that does not exist", "use 2 to 36, or 0");
  }
  if (auto defined = need_no_undefined(input); !defined) return defined;
  if (input.is_integral()) return Value::integer(input.as_integer());
  if (input.is(Kind::floating)) {
    if (std::isnan(input.as_floating())) return otherwise;
    return truncate_to_integer(input.as_floating());
  }
  if (!input.is_string()) return otherwise;
  if (const auto number = read_integer(input.as_string(), static_cast<int>(*base))) {
    return Value::integer(*number);
  }
  const auto number = read_float(input.as_string());
  if (!number || std::isnan(*number)) return otherwise;
  return truncate_to_integer(*number);
}

Outcome<Value> to_float(const Value& input, const Given& given, Interpreter&) {
  const Value otherwise = given.has(0) ? given.value(0) : Value::floating(0);
  if (auto defined = need_no_undefined(input); !defined) return defined;
  if (input.is_number()) return Value::floating(input.as_number());
  const auto number = input.is_string() ? read_float(input.as_string()) : std::nullopt;
  return number ? Value::floating(*number) : otherwise;
}

Outcome<Value> need_number(const Value& input, std::string_view filter) {
  if (auto defined = need_no_undefined(input); !defined) return defined;
  if (input.is_number()) return input;
  return trouble(fmt::format("the filter '{}' needs a number, not {}", filter, type_name(input)),
                 "convert it with | int or | float");
}

Outcome<Value> absolute(const Value& input, const Given&, Interpreter&) {
  if (auto number = need_number(input, "abs"); !number) return number;
  if (input.is(Kind::floating)) return Value::floating(std::fabs(input.as_floating()));
  return input.as_integer() < 0 ? negate(input) : Value::integer(input.as_integer());
}

Outcome<Value> round(const Value& input, const Given& given, Interpreter&) {
  const auto digits = given.integer(0, 0);
  const auto method = given.text(1, "common");
  if (!digits) return forward_error(digits);
  if (!method) return forward_error(method);
  if (*method != "common" && *method != "ceil" && *method != "floor") {
    return trouble("round knows common, ceil and floor", "use one of them");
  }
  if (auto number = need_number(input, "round"); !number) return number;
  if (*method == "common") return round_number(input, *digits);
  const double unit = std::pow(10.0, static_cast<double>(*digits));
  const double scaled = input.as_number() * unit;
  if (!std::isfinite(scaled) || unit == 0) {
    return trouble("a number that cannot be rounded so", "use fewer digits");
  }
  return Value::floating((*method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / unit);
}

/// Attributes only: not the entries of a dict.
Outcome<Value> attribute(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto name = given.printed(0, "", interpreter.meter());
  if (!name) return forward_error(name);
  if (auto defined = need_no_undefined(input); !defined) return defined;
  const bool is_entry = input.is(Kind::dict) && input.as_dict()->find(*name) != nullptr;
  if (!is_entry) return interpreter.attribute(input, *name);
  Undefined why;
  why.what = "attr looks for attributes, not for the entries of a dict";
  return Value::undefined(std::move(why));
}

Outcome<Value> to_json(const Value& input, const Given& given, Interpreter& interpreter) {
  constexpr std::int64_t indent_max = 100;
  const auto indent = given.is_none(0) ? Outcome<std::int64_t>(-1) : given.integer(0, -1);
  if (!indent) return forward_error(indent);
  const bool is_one_line = given.is_none(0);
  const auto width = std::clamp<std::int64_t>(*indent, 0, indent_max);
  auto text = print_json(input, is_one_line ? -1 : static_cast<int>(width), interpreter.meter());
  if (!text) return forward_error(text);
  return Value::escaped(*std::move(text));
}

}  // namespace

const std::vector<Filter>& value_filters() {
  static const std::vector<Filter> filters{
      {"default", {{"default_value"}, {"boolean"}}, default_value},
      {"d", {{"default_value"}, {"boolean"}}, default_value},
      {"int", {{"default"}, {"base"}}, to_integer},
      {"float", {{"default"}}, to_float},
      {"abs", {}, absolute},
      {"round", {{"precision"}, {"method"}}, round},
      {"attr", {{"name", Need::required}}, attribute},
      {"tojson", {{"indent"}}, to_json},
  };
  return filters;
}

}  // namespace ichor::jinja
