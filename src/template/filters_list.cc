#include <algorithm>
#include <fmt/format.h>

#include "template/attribute_path.h"
#include "template/filters.h"
#include "template/interpreter.h"
#include "template/operate.h"
#include "template/print.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

using Need = Parameter::Need;

Value empty_sequence(std::string_view which) {
  Undefined why;
  why.what = fmt::format("there is no {} item: the list is empty", which);
  return Value::undefined(std::move(why));
}

Outcome<Value> to_list(const Value& input, const Given&, Interpreter& interpreter) {
  auto items = items_of(input, interpreter.meter());
  if (!items) return forward_error(items);
  return Value::list(*std::move(items));
}

Outcome<Value> length(const Value& input, const Given&, Interpreter&) {
  const auto size = length_of(input);
  if (!size) return forward_error(size);
  return Value::integer(*size);
}

Outcome<Value> join(const Value& input, const Given& given, Interpreter& interpreter) {
  Meter& meter = interpreter.meter();
  const auto items = items_of(input, meter);
  if (!items) return forward_error(items);
  const auto separator = given.printed(0, "", meter);
  if (!separator) return forward_error(separator);
  const auto path = AttributePath::of(given.value(1));
  if (!path) return forward_error(path);
  std::string result;
  bool is_first = true;
  for (const Value& item : *items) {
    auto value = path->get(item, interpreter);
    if (!value) return value;
    const auto text = print(*value, meter);
    if (!text) return forward_error(text);
    if (auto paid = meter.spend_text(separator->size() + text->size()); !paid) {
      return forward_error(paid);
    }
    if (!is_first) result += *separator;
    is_first = false;
    result += *text;
    if (result.size() > meter.limits().output_bytes_max) {
      return tl::unexpected(meter.spend_text(result.size()).error());
    }
  }
  return Value::string(std::move(result));
}

Outcome<Value> first(const Value& input, const Given&, Interpreter& interpreter) {
  auto cursor = Cursor::over(input, interpreter.meter());
  if (!cursor) return forward_error(cursor);
  auto next = cursor->next();
  if (!next) return forward_error(next);
  return *next ? **next : empty_sequence("first");
}

Outcome<Value> last(const Value& input, const Given&, Interpreter& interpreter) {
  if (input.is(Kind::iterator)) {
    return trouble("what a filter such as map gives has no last item", "add | list before | last");
  }
  if (input.is_undefined()) {
    if (auto defined = need_defined(input); !defined) return forward_error(defined);
  }
  const auto items = items_of(input, interpreter.meter());
  if (!items) return forward_error(items);
  return items->empty() ? empty_sequence("last") : items->back();
}

Outcome<Value> reverse(const Value& input, const Given&, Interpreter& interpreter) {
  if (input.is_string()) {
    auto points = to_points(input.as_string());
    std::string result;
    for (auto point = points.rbegin(); point != points.rend(); ++point) {
      append_point(result, *point);
    }
    return Value::string(std::move(result));
  }
  auto items = items_of(input, interpreter.meter());
  if (!items) return forward_error(items);
  std::reverse(items->begin(), items->end());
  return input.is(Kind::iterator) ? Value::list(*std::move(items))
                                  : Value::iterator(*std::move(items));
}

/// Pairs of a dict; none of what is undefined, as in jinja2.
Outcome<Value> items(const Value& input, const Given&, Interpreter& interpreter) {
  if (input.is_undefined()) return Value::iterator({});
  if (!input.is(Kind::dict)) {
    return trouble(fmt::format("items needs a dict, not {}", type_name(input)), "use a dict");
  }
  auto pairs = items_of(Value::view({View::Of::items, input.as_dict()}), interpreter.meter());
  if (!pairs) return forward_error(pairs);
  return Value::iterator(*std::move(pairs));
}

Outcome<Value> batch(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto all = items_of(input, interpreter.meter());
  if (!all) return forward_error(all);
  const auto size = given.integer(0, 1);
  if (!size) return forward_error(size);
  Items rows, row;
  for (const Value& item : *all) {
    if (static_cast<std::int64_t>(row.size()) == *size)
      rows.push_back(Value::list(std::exchange(row, {})));
    row.push_back(item);
  }
  if (!row.empty()) {
    const auto missing = *size - static_cast<std::int64_t>(row.size());
    if (!given.is_none(1) && missing > 0) {
      if (auto paid = interpreter.meter().spend_items(missing); !paid) {
        return forward_error(paid);
      }
      row.insert(row.end(), static_cast<std::size_t>(missing), given.value(1));
    }
    rows.push_back(Value::list(std::move(row)));
  }
  return Value::iterator(std::move(rows));
}

Outcome<Value> slice(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto all = items_of(input, interpreter.meter());
  if (!all) return forward_error(all);
  const auto count = given.integer(0, 1);
  if (!count) return forward_error(count);
  if (*count == 0) return trouble("slices into no part", "use at least one");
  if (*count < 0) return Value::iterator({});
  if (auto paid = interpreter.meter().spend_items(*count); !paid) {
    return forward_error(paid);
  }
  const auto parts = static_cast<std::size_t>(*count);
  const std::size_t size = all->size() / parts, larger = all->size() % parts;
  Items rows;
  auto at = all->begin();
  for (std::size_t i = 0; i < parts; ++i) {
    const auto end = at + static_cast<std::ptrdiff_t>(size + (i < larger ? 1 : 0));
    Items row(at, end);
    at = end;
    if (!given.is_none(1) && i >= larger) row.push_back(given.value(1));
    rows.push_back(Value::list(std::move(row)));
  }
  return Value::iterator(std::move(rows));
}

Outcome<Value> sum(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto all = items_of(input, interpreter.meter());
  if (!all) return forward_error(all);
  const auto path = AttributePath::of(given.value(0));
  if (!path) return forward_error(path);
  Outcome<Value> total = given.has(1) ? given.value(1) : Value::integer(0);
  if (total->is_string()) return trouble("texts cannot be summed", "use | join");
  for (const Value& item : *all) {
    auto value = path->get(item, interpreter);
    if (!value) return value;
    total = operate(Arithmetic::add, *total, *value, interpreter.meter());
    if (!total) return total;
  }
  return total;
}

}  // namespace

const std::vector<Filter>& list_filters() {
  static const std::vector<Filter> filters{
      {"list", {}, to_list},
      {"length", {}, length},
      {"count", {}, length},
      {"join", {{"d"}, {"attribute"}}, join},
      {"first", {}, first},
      {"last", {}, last},
      {"reverse", {}, reverse},
      {"items", {}, items},
      {"batch", {{"linecount", Need::required}, {"fill_with"}}, batch},
      {"slice", {{"slices", Need::required}, {"fill_with"}}, slice},
      {"sum", {{"attribute"}, {"start"}}, sum},
  };
  return filters;
}

}  // namespace ichor::jinja
