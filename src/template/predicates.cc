#include "template/predicates.h"

#include <algorithm>
#include <fmt/format.h>

#include "template/filters.h"
#include "template/interpreter.h"
#include "template/operate.h"
#include "template/print.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

using Holds = Outcome<bool>;

Holds is_divisible(const Value& input, const Value& by, Interpreter& interpreter) {
  auto rest = operate(Arithmetic::modulo, input, by, interpreter.meter());
  if (!rest) return forward_error(rest);
  return is_equal(*rest, Value::integer(0), interpreter.meter());
}

Holds is_odd(const Value& input, const Value&, Interpreter& interpreter) {
  auto rest = operate(Arithmetic::modulo, input, Value::integer(2), interpreter.meter());
  if (!rest) return forward_error(rest);
  return is_equal(*rest, Value::integer(1), interpreter.meter());
}

Holds is_even(const Value& input, const Value&, Interpreter& interpreter) {
  return is_divisible(input, Value::integer(2), interpreter);
}

template <Kind kind>
Holds is_kind(const Value& input, const Value&, Interpreter&) {
  return input.is(kind);
}

template <bool flag>
Holds is_flag(const Value& input, const Value&, Interpreter&) {
  return input.is(Kind::boolean) && input.as_boolean() == flag;
}

template <Relation relation>
Holds is_related(const Value& input, const Value& other, Interpreter& interpreter) {
  return compare(relation, input, other, interpreter.meter());
}

/// All letters of one case, and at least one letter.
template <bool (*wanted)(char32_t), bool (*unwanted)(char32_t)>
Holds is_cased(const Value& input, const Value&, Interpreter& interpreter) {
  const auto text = print(input, interpreter.meter());
  if (!text) return forward_error(text);
  bool has_wanted = false;
  for (const char32_t point : to_points(*text)) {
    if (unwanted(point)) return false;
    has_wanted |= wanted(point);
  }
  return has_wanted;
}

Holds is_defined(const Value& input, const Value&, Interpreter&) { return !input.is_undefined(); }
Holds is_number(const Value& input, const Value&, Interpreter&) { return input.is_number(); }

Holds is_sequence(const Value& input, const Value&, Interpreter&) {
  static constexpr Kind kinds[] = {Kind::string, Kind::list, Kind::tuple, Kind::dict, Kind::range};
  return std::find(std::begin(kinds), std::end(kinds), input.kind()) != std::end(kinds);
}

Holds is_iterable(const Value& input, const Value& none, Interpreter& interpreter) {
  if (input.is_undefined() && !input.as_undefined().prints_nothing) {
    return tl::unexpected(need_defined(input).error());
  }
  if (input.is_undefined() || input.is(Kind::view) || input.is(Kind::iterator)) return true;
  if (input.is(Kind::object)) return input.as_object()->type() == "loop";
  return is_sequence(input, none, interpreter);
}

// An undefined value of jinja2 has a call operator, which fails.
Holds is_callable(const Value& input, const Value&, Interpreter&) {
  return input.is_undefined() || (input.is(Kind::object) && input.as_object()->is_callable());
}

Holds is_same_as(const Value& input, const Value& other, Interpreter&) {
  return is_same(input, other);
}

Holds is_escaped(const Value& input, const Value&, Interpreter&) {
  return input.is_string() && input.text().is_escaped;
}

Holds is_in(const Value& input, const Value& container, Interpreter& interpreter) {
  return contains(container, input, interpreter.meter());
}

/// Whether the input names a filter or a test.
template <bool of_filters>
Holds is_known(const Value& input, const Value&, Interpreter&) {
  if (auto defined = need_defined(input); !defined) return forward_error(defined);
  if (!input.is_string()) return false;
  return of_filters ? find_filter(input.as_string()) != nullptr
                    : find_predicate(input.as_string()) != nullptr;
}

/// Sorted by name.
const std::vector<Predicate>& all_predicates() {
  static const std::vector<Predicate> list{
      {"!=", 1, is_related<Relation::not_equal>},
      {"<", 1, is_related<Relation::less>},
      {"<=", 1, is_related<Relation::less_equal>},
      {"==", 1, is_related<Relation::equal>},
      {">", 1, is_related<Relation::greater>},
      {">=", 1, is_related<Relation::greater_equal>},
      {"boolean", 0, is_kind<Kind::boolean>},
      {"callable", 0, is_callable},
      {"defined", 0, is_defined},
      {"divisibleby", 1, is_divisible},
      {"eq", 1, is_related<Relation::equal>},
      {"equalto", 1, is_related<Relation::equal>},
      {"escaped", 0, is_escaped},
      {"even", 0, is_even},
      {"false", 0, is_flag<false>},
      {"filter", 0, is_known<true>},
      {"float", 0, is_kind<Kind::floating>},
      {"ge", 1, is_related<Relation::greater_equal>},
      {"greaterthan", 1, is_related<Relation::greater>},
      {"gt", 1, is_related<Relation::greater>},
      {"in", 1, is_in},
      {"integer", 0, is_kind<Kind::integer>},
      {"iterable", 0, is_iterable},
      {"le", 1, is_related<Relation::less_equal>},
      {"lessthan", 1, is_related<Relation::less>},
      {"lower", 0, is_cased<is_lower, is_upper>},
      {"lt", 1, is_related<Relation::less>},
      {"mapping", 0, is_kind<Kind::dict>},
      {"ne", 1, is_related<Relation::not_equal>},
      {"none", 0, is_kind<Kind::none>},
      {"number", 0, is_number},
      {"odd", 0, is_odd},
      {"sameas", 1, is_same_as},
      {"sequence", 0, is_sequence},
      {"string", 0, is_kind<Kind::string>},
      {"test", 0, is_known<false>},
      {"true", 0, is_flag<true>},
      {"undefined", 0, is_kind<Kind::undefined>},
      {"upper", 0, is_cased<is_upper, is_lower>},
  };
  return list;
}

}  // namespace

const Predicate* find_predicate(std::string_view name) {
  const auto& all = all_predicates();
  const auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const Predicate& predicate, std::string_view n) { return predicate.name < n; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

const std::vector<std::string_view>& predicate_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> result;
    for (const Predicate& predicate : all_predicates()) result.push_back(predicate.name);
    return result;
  }();
  return names;
}

}  // namespace ichor::jinja
