#include "template/operate.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

#include "base/nearest_name.h"
#include "template/object.h"
#include "template/percent_format.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

tl::unexpected<Trouble> cannot_compare(const Value& a, const Value& b) {
  return trouble(fmt::format("{} and {} cannot be put in an order", type_name(a), type_name(b)),
                 "convert one of them with | int, | float or | string");
}

const Items* sequence_of(const Value& value) {
  if (value.is(Kind::list)) return &value.as_list()->items;
  if (value.is(Kind::tuple)) return &value.as_tuple()->items;
  return nullptr;
}

Outcome<bool> same_items(const Items& a, const Items& b, Meter& meter) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto same = is_equal(a[i], b[i], meter);
    if (!same || !*same) return same;
  }
  return true;
}

Outcome<bool> same_dicts(const Dict& a, const Dict& b, Meter& meter) {
  if (a.size() != b.size()) return false;
  for (const auto& [key, value] : a.entries()) {
    const Value* other = b.find(key);
    if (other == nullptr) return false;
    const auto same = is_equal(value, *other, meter);
    if (!same || !*same) return same;
  }
  return true;
}

template <class T>
bool holds(Relation relation, const T& a, const T& b) {
  switch (relation) {
    case Relation::less: return a < b;
    case Relation::less_equal: return a <= b;
    case Relation::greater: return a > b;
    case Relation::greater_equal: return a >= b;
    case Relation::equal: return a == b;
    case Relation::not_equal: return a != b;
  }
  return false;
}

/// The first pair of items that differ decides, else the lengths.
Outcome<bool> compare_items(Relation relation, const Items& a, const Items& b, Meter& meter) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const auto same = is_equal(a[i], b[i], meter);
    if (!same) return same;
    if (!*same) return compare(relation, a[i], b[i], meter);
  }
  return holds(relation, a.size(), b.size());
}

Outcome<Value> repeat(const Value& value, std::int64_t times, Meter& meter) {
  times = std::max<std::int64_t>(times, 0);
  if (value.is_string()) {
    const std::string& text = value.as_string();
    if (text.empty() || times == 0) return Value::string("");
    const auto limit = static_cast<std::int64_t>(meter.limits().output_bytes_max);
    const auto size = static_cast<std::int64_t>(text.size());
    const auto bytes = times > limit / size ? limit + 1 : times * size;
    if (auto paid = meter.spend_text(static_cast<std::size_t>(bytes)); !paid) {
      return forward_error(paid);
    }
    std::string result;
    result.reserve(static_cast<std::size_t>(bytes));
    for (std::int64_t i = 0; i < times; ++i) result += text;
    return Value::string(std::move(result));
  }
  const Items& items = *sequence_of(value);
  const auto size = static_cast<std::int64_t>(items.size());
  const bool is_huge = size > 0 && times > meter.limits().steps_max / size;
  if (auto paid = meter.spend_items(is_huge ? meter.limits().steps_max : times * size); !paid) {
    return forward_error(paid);
  }
  Items result;
  for (std::int64_t i = 0; size > 0 && i < times; ++i) {
    result.insert(result.end(), items.begin(), items.end());
  }
  return value.is(Kind::list) ? Value::list(std::move(result)) : Value::tuple(std::move(result));
}

Outcome<Value> join_two(const Value& a, const Value& b, Meter& meter) {
  if (a.is_string()) {
    if (auto paid = meter.spend_text(a.as_string().size() + b.as_string().size()); !paid) {
      return forward_error(paid);
    }
    return Value::string(a.as_string() + b.as_string());
  }
  Items items = *sequence_of(a);
  const Items& more = *sequence_of(b);
  if (auto paid = meter.spend_items(static_cast<std::int64_t>(items.size() + more.size())); !paid) {
    return forward_error(paid);
  }
  items.insert(items.end(), more.begin(), more.end());
  return a.is(Kind::list) ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

bool is_repeatable(const Value& value) { return value.is_string() || sequence_of(value); }

std::string_view sign_of(Arithmetic operation) {
  switch (operation) {
    case Arithmetic::add: return "+";
    case Arithmetic::subtract: return "-";
    case Arithmetic::multiply: return "*";
    case Arithmetic::divide: return "/";
    case Arithmetic::floor_divide: return "//";
    case Arithmetic::modulo: return "%";
    case Arithmetic::power: return "**";
  }
  return "?";
}

void append_held(const Value& value, Items& out) {
  switch (value.kind()) {
    case Kind::list:
    case Kind::tuple: {
      const Items& items = *sequence_of(value);
      out.insert(out.end(), items.begin(), items.end());
      break;
    }
    case Kind::dict:
      for (const auto& entry : value.as_dict()->entries()) out.push_back(entry.value);
      break;
    case Kind::iterator:
      out.insert(out.end(), value.as_iterator().items.begin(), value.as_iterator().items.end());
      break;
    case Kind::view: out.push_back(Value::sharing(value.as_view().dict)); break;
    case Kind::object: value.as_object()->held(out); break;
    default: break;
  }
}

}  // namespace

Outcome<void> need_defined(const Value& value) {
  if (!value.is_undefined()) return {};
  const Undefined& why = value.as_undefined();
  Trouble problem{why.what, {}, why.at, {}, {}};
  if (why.is_variable) problem.missing_variable = why.name;
  if (why.is_doubtful) problem.doubtful_name = why.name;
  if (const auto owner = why.owner.lock()) {
    std::vector<std::string_view> known;
    for (const auto& entry : owner->entries()) {
      if (entry.key.is_string()) known.push_back(entry.key.as_string());
    }
    const std::string_view nearest = nearest_name(why.name, known);
    problem.fix = nearest.empty() ? "define it, or use | default(…)"
                                  : fmt::format("did you mean \"{}\"?", nearest);
  }
  return tl::unexpected(std::move(problem));
}

Outcome<bool> is_true(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
      if (value.as_undefined().prints_nothing) return false;
      return tl::unexpected(need_defined(value).error());
    case Kind::none: return false;
    case Kind::boolean: return value.as_boolean();
    case Kind::integer: return value.as_integer() != 0;
    case Kind::floating: return value.as_floating() != 0;
    case Kind::string: return !value.as_string().empty();
    case Kind::list: return !value.as_list()->items.empty();
    case Kind::tuple: return !value.as_tuple()->items.empty();
    case Kind::dict: return value.as_dict()->size() > 0;
    case Kind::range: return value.as_range().size() > 0;
    case Kind::view: return value.as_view().dict->size() > 0;
    case Kind::iterator:
    case Kind::object: return true;
  }
  return true;
}

Outcome<bool> is_equal(const Value& a, const Value& b, Meter& meter) {
  if (a.is_undefined() && b.is_undefined() && a.as_undefined().prints_nothing &&
      b.as_undefined().prints_nothing) {
    return true;
  }
  for (const Value* value : {&a, &b}) {
    if (!value->is_undefined() || value->as_undefined().prints_nothing) continue;
    return tl::unexpected(need_defined(*value).error());
  }
  if (auto paid = meter.spend(); !paid) return forward_error(paid);
  const Meter::Level level(meter);
  if (auto ok = level.ok(); !ok) return forward_error(ok);
  if (a.kind() == b.kind()) {
    if (a.is(Kind::list) || a.is(Kind::tuple)) {
      return same_items(*sequence_of(a), *sequence_of(b), meter);
    }
    if (a.is(Kind::dict)) return same_dicts(*a.as_dict(), *b.as_dict(), meter);
  }
  return same_key(a, b);
}

Outcome<bool> compare(Relation relation, const Value& a, const Value& b, Meter& meter) {
  if (relation == Relation::equal) return is_equal(a, b, meter);
  if (relation == Relation::not_equal) {
    auto same = is_equal(a, b, meter);
    if (same) same = !*same;
    return same;
  }
  for (const Value* value : {&a, &b}) {
    if (auto defined = need_defined(*value); !defined) return forward_error(defined);
  }
  if (a.is_number() && b.is_number()) {
    const auto order = order_of(a, b);
    return order && holds(relation, *order, 0);
  }
  if (a.is_string() && b.is_string()) return holds(relation, a.as_string(), b.as_string());
  const bool same_kind = a.kind() == b.kind();
  if (same_kind && sequence_of(a) != nullptr) {
    const Meter::Level level(meter);
    if (auto ok = level.ok(); !ok) return forward_error(ok);
    return compare_items(relation, *sequence_of(a), *sequence_of(b), meter);
  }
  return cannot_compare(a, b);
}

bool is_same(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.data() == b.data()) return true;
  // Python keeps one object for equal small numbers and for equal names in a program text.
  return a.is_string() && a.as_string() == b.as_string();
}

Outcome<bool> contains(const Value& container, const Value& item, Meter& meter) {
  if (container.is_string()) {
    if (auto defined = need_defined(item); !defined) return forward_error(defined);
    if (!item.is_string()) {
      return trouble(fmt::format("a text cannot contain {}", type_name(item)),
                     "compare with a list, or convert with | string");
    }
    if (auto paid = meter.spend_text(container.as_string().size()); !paid) {
      return forward_error(paid);
    }
    return container.as_string().find(item.as_string()) != std::string::npos;
  }
  const bool has_keys = container.is(Kind::dict) ||
                        (container.is(Kind::view) && container.as_view().of == View::Of::keys);
  if (has_keys) {
    if (auto defined = need_defined(item); !defined) return forward_error(defined);
    const Dict& dict = container.is(Kind::dict) ? *container.as_dict() : *container.as_view().dict;
    if (!is_hashable(item)) {
      return trouble(fmt::format("{} cannot be the key of a dict", type_name(item)),
                     "look for a text or a number");
    }
    return dict.find(item) != nullptr;
  }
  auto cursor = Cursor::over(container, meter);
  if (!cursor) return forward_error(cursor);
  while (true) {
    auto next = cursor->next();
    if (!next) return forward_error(next);
    if (!*next) return false;
    const auto same = is_equal(**next, item, meter);
    if (!same || *same) return same;
  }
}

Outcome<Value> operate(Arithmetic operation, const Value& a, const Value& b, Meter& meter) {
  if (operation == Arithmetic::modulo && a.is_string()) return percent_format(a, b, meter);
  for (const Value* value : {&a, &b}) {
    if (auto defined = need_defined(*value); !defined) return forward_error(defined);
  }
  if (a.is_number() && b.is_number()) return calculate(operation, a, b);
  if (operation == Arithmetic::add && a.kind() == b.kind() && is_repeatable(a)) {
    return join_two(a, b, meter);
  }
  if (operation == Arithmetic::multiply) {
    if (is_repeatable(a) && b.is_integral()) return repeat(a, b.as_integer(), meter);
    if (is_repeatable(b) && a.is_integral()) return repeat(b, a.as_integer(), meter);
  }
  const bool wants_text = operation == Arithmetic::add && (a.is_string() || b.is_string());
  return trouble(
      fmt::format("{} {} {} is not defined", type_name(a), sign_of(operation), type_name(b)),
      wants_text ? "use ~ to put texts together" : "convert with | int, | float or | string");
}

Outcome<std::int64_t> length_of(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined:
      if (value.as_undefined().prints_nothing) return 0;
      return tl::unexpected(need_defined(value).error());
    case Kind::string:
      return static_cast<std::int64_t>(value.text().is_ascii ? value.as_string().size()
                                                             : count_points(value.as_string()));
    case Kind::list: return static_cast<std::int64_t>(value.as_list()->items.size());
    case Kind::tuple: return static_cast<std::int64_t>(value.as_tuple()->items.size());
    case Kind::dict: return static_cast<std::int64_t>(value.as_dict()->size());
    case Kind::range: return value.as_range().size();
    case Kind::view: return static_cast<std::int64_t>(value.as_view().dict->size());
    case Kind::iterator:
      return trouble("what a filter such as map gives has no length", "add | list before | length");
    default:
      return trouble(fmt::format("{} has no length", type_name(value)), "use a list or text");
  }
}

Outcome<Value> slice_of(const Value& value, const Slice& slice, Meter& meter) {
  if (value.is(Kind::dict)) return trouble("a dict cannot be sliced", "use | list first");
  const auto size = length_of(value);
  if (!size) return forward_error(size);
  if (value.is(Kind::view) || value.is(Kind::object)) {
    return trouble(fmt::format("{} cannot be sliced", type_name(value)), "use | list first");
  }
  if (slice.step == 0) return trouble("the step of a slice is zero", "use 1 or -1");
  const bool backwards = slice.step < 0;
  const std::int64_t lowest = backwards ? -1 : 0;
  const std::int64_t highest = backwards ? *size - 1 : *size;
  const auto clamped = [&](std::optional<std::int64_t> index, std::int64_t otherwise) {
    if (!index) return otherwise;
    return std::clamp(*index < 0 ? *index + *size : *index, lowest, highest);
  };
  Range range;
  range.start = clamped(slice.start, backwards ? highest : lowest);
  range.stop = clamped(slice.stop, backwards ? lowest : highest);
  range.step = std::clamp<std::int64_t>(slice.step, -*size - 1, *size + 1);
  if (auto paid = meter.spend_items(range.size()); !paid) return forward_error(paid);
  if (value.is_string()) {
    const std::string& text = value.as_string();
    if (range.step == 1) {
      const auto first = static_cast<std::size_t>(range.start);
      const auto last = static_cast<std::size_t>(std::max(range.start, range.stop));
      return Value::string(value.text().is_ascii ? text.substr(first, last - first)
                                                 : std::string(slice_points(text, first, last)));
    }
    const std::vector<char32_t> points = to_points(text);
    std::string result;
    for (std::int64_t i = 0; i < range.size(); ++i) {
      append_point(result, points[static_cast<std::size_t>(range.at(i))]);
    }
    return Value::string(std::move(result));
  }
  if (value.is(Kind::range)) {
    const Range& whole = value.as_range();
    // The same wrapping product as in Range::at, of a start that is taken for zero.
    const Range steps{0, 0, whole.step};
    return Value::range({whole.at(range.start), whole.at(range.stop), steps.at(range.step)});
  }
  const Items& items = *sequence_of(value);
  Items result;
  for (std::int64_t i = 0; i < range.size(); ++i) {
    result.push_back(items[static_cast<std::size_t>(range.at(i))]);
  }
  return value.is(Kind::list) ? Value::list(std::move(result)) : Value::tuple(std::move(result));
}

Outcome<std::optional<Value>> item_of(const Value& container, const Value& key) {
  if (auto defined = need_defined(container); !defined) return forward_error(defined);
  if (container.is(Kind::dict)) {
    if (auto defined = need_defined(key); !defined) return forward_error(defined);
    if (!is_hashable(key)) return std::optional<Value>();
    const Value* found = container.as_dict()->find(key);
    return found == nullptr ? std::optional<Value>() : std::optional<Value>(*found);
  }
  const bool has_places = container.is_string() || container.is(Kind::list) ||
                          container.is(Kind::tuple) || container.is(Kind::range);
  if (!has_places || !key.is_integral()) return std::optional<Value>();
  const std::int64_t size = length_of(container).value_or(0);
  std::int64_t index = key.as_integer();
  if (index < 0) index += size;
  if (index < 0 || index >= size) return std::optional<Value>();
  if (container.is(Kind::range)) return Value::integer(container.as_range().at(index));
  const auto place = static_cast<std::size_t>(index);
  if (!container.is_string()) return (*sequence_of(container))[place];
  if (container.text().is_ascii) return Value::string(container.as_string().substr(place, 1));
  return Value::string(std::string(slice_points(container.as_string(), place, place + 1)));
}

Outcome<void> put_into(Dict& dict, const Value& key, Value value) {
  if (auto defined = need_defined(key); !defined) return defined;
  if (!is_hashable(key)) {
    return trouble(fmt::format("{} cannot be the key of a dict", type_name(key)),
                   "use a text or a number");
  }
  dict.put(key, std::move(value));
  return {};
}

Outcome<void> refuse_cycle(const Value& container, const Value& item, Meter& meter) {
  Items open{item};
  std::unordered_set<const void*> seen;
  while (!open.empty()) {
    const Value value = std::move(open.back());
    open.pop_back();
    if (is_same(value, container)) {
      return trouble(fmt::format("{} cannot be put into itself", type_name(container)),
                     "put a copy into it");
    }
    const bool holds_others = value.is(Kind::list) || value.is(Kind::tuple) ||
                              value.is(Kind::dict) || value.is(Kind::iterator) ||
                              value.is(Kind::view) || value.is(Kind::object);
    if (!holds_others) continue;
    const void* identity = std::visit(
        [](const auto& held) -> const void* {
          if constexpr (requires { held.get(); }) {
            return held.get();
          } else {
            return nullptr;
          }
        },
        value.data());
    if (!seen.insert(identity).second) continue;
    if (auto paid = meter.spend(); !paid) return paid;
    append_held(value, open);
  }
  return {};
}

}  // namespace ichor::jinja
