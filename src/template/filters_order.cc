#include <algorithm>
#include <fmt/format.h>

#include "template/attribute_path.h"
#include "template/filters.h"
#include "template/interpreter.h"
#include "template/operate.h"

namespace ichor::jinja {

namespace {

using Need = Parameter::Need;

struct Keyed {
  Value key;
  Value item;
};

/// Stable, and by `<` alone, as Python sorts.
Outcome<void> sort_by_key(std::vector<Keyed>& rows, bool is_reversed, Meter& meter) {
  std::optional<Trouble> problem;
  std::stable_sort(rows.begin(), rows.end(), [&](const Keyed& a, const Keyed& b) {
    if (problem) return false;
    const auto less = is_reversed ? compare(Relation::less, b.key, a.key, meter)
                                  : compare(Relation::less, a.key, b.key, meter);
    if (!less) problem = less.error();
    auto paid = meter.spend();
    if (!paid && !problem) problem = paid.error();
    return less.value_or(false);
  });
  if (problem) return tl::unexpected(*problem);
  return {};
}

Items items_of_rows(std::vector<Keyed>& rows) {
  Items items;
  for (Keyed& row : rows) items.push_back(std::move(row.item));
  return items;
}

/// The items with their keys: an attribute or the item itself, texts in lower case unless case
/// counts.
Outcome<std::vector<Keyed>> keyed(const Value& input, const Value& attribute, bool case_sensitive,
                                  Interpreter& interpreter,
                                  const std::optional<Value>& otherwise = std::nullopt) {
  const auto items = items_of(input, interpreter.meter());
  if (!items) return forward_error(items);
  const auto path = AttributePath::of(attribute);
  if (!path) return forward_error(path);
  std::vector<Keyed> rows;
  for (const Value& item : *items) {
    auto key = path->get(item, interpreter, otherwise);
    if (!key) return forward_error(key);
    rows.push_back({case_sensitive ? *key : folded(*key), item});
  }
  return rows;
}

Outcome<Value> sort(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto is_reversed = given.flag(0, false);
  const auto case_sensitive = given.flag(1, false);
  if (!is_reversed) return forward_error(is_reversed);
  if (!case_sensitive) return forward_error(case_sensitive);
  const auto items = items_of(input, interpreter.meter());
  if (!items) return forward_error(items);
  const auto paths = AttributePath::several(given.value(2));
  if (!paths) return forward_error(paths);
  std::vector<Keyed> rows;
  for (const Value& item : *items) {
    Items keys;
    for (const AttributePath& path : *paths) {
      auto key = path.get(item, interpreter);
      if (!key) return key;
      keys.push_back(*case_sensitive ? *key : folded(*key));
    }
    rows.push_back({Value::list(std::move(keys)), item});
  }
  if (auto sorted = sort_by_key(rows, *is_reversed, interpreter.meter()); !sorted) {
    return forward_error(sorted);
  }
  return Value::list(items_of_rows(rows));
}

Outcome<Value> dict_sort(const Value& input, const Given& given, Interpreter& interpreter) {
  if (auto defined = need_defined(input); !defined) return forward_error(defined);
  if (!input.is(Kind::dict)) return trouble("dictsort needs a dict", "use sort for a list");
  const auto case_sensitive = given.flag(0, false);
  const auto by = given.text(1, "key");
  const auto is_reversed = given.flag(2, false);
  if (!case_sensitive) return forward_error(case_sensitive);
  if (!by) return forward_error(by);
  if (!is_reversed) return forward_error(is_reversed);
  if (*by != "key" && *by != "value") {
    return trouble("dictsort sorts by key or by value", "write by='key' or by='value'");
  }
  std::vector<Keyed> rows;
  for (const auto& [key, value] : input.as_dict()->entries()) {
    const Value& by_what = *by == "key" ? key : value;
    rows.push_back({*case_sensitive ? by_what : folded(by_what), Value::tuple({key, value})});
  }
  if (auto sorted = sort_by_key(rows, *is_reversed, interpreter.meter()); !sorted) {
    return forward_error(sorted);
  }
  return Value::list(items_of_rows(rows));
}

Outcome<Value> unique(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto case_sensitive = given.flag(0, false);
  if (!case_sensitive) return forward_error(case_sensitive);
  auto rows = keyed(input, given.value(1), *case_sensitive, interpreter);
  if (!rows) return forward_error(rows);
  Dict seen;
  Items result;
  for (const Keyed& row : *rows) {
    if (is_hashable(row.key) && seen.find(row.key) != nullptr) continue;
    if (auto put = put_into(seen, row.key, Value::none()); !put) {
      return forward_error(put);
    }
    result.push_back(row.item);
  }
  return Value::iterator(std::move(result));
}

template <Relation wins>
Outcome<Value> extreme(const Value& input, const Given& given, Interpreter& interpreter) {
  const auto case_sensitive = given.flag(0, false);
  if (!case_sensitive) return forward_error(case_sensitive);
  auto rows = keyed(input, given.value(1), *case_sensitive, interpreter);
  if (!rows) return forward_error(rows);
  if (rows->empty()) {
    Undefined why;
    why.what = "there is no smallest or largest item: the list is empty";
    return Value::undefined(std::move(why));
  }
  const Keyed* best = &rows->front();
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const auto better = compare(wins, (*rows)[i].key, best->key, interpreter.meter());
    if (!better) return forward_error(better);
    if (*better) best = &(*rows)[i];
  }
  return best->item;
}

Outcome<Value> group_by(const Value& input, const Given& given, Interpreter& interpreter) {
  Meter& meter = interpreter.meter();
  const auto case_sensitive = given.flag(2, false);
  if (!case_sensitive) return forward_error(case_sensitive);
  std::optional<Value> otherwise;
  if (!given.is_none(1)) otherwise = given.value(1);
  auto rows = keyed(input, given.value(0), *case_sensitive, interpreter, otherwise);
  if (!rows) return forward_error(rows);
  if (auto sorted = sort_by_key(*rows, false, meter); !sorted) {
    return forward_error(sorted);
  }
  const auto path = AttributePath::of(given.value(0));
  if (!path) return forward_error(path);
  Items groups;
  for (std::size_t i = 0; i < rows->size();) {
    Items members;
    const Value& key = (*rows)[i].key;
    // The key is shown as the first member of the group spells it.
    auto shown = path->get((*rows)[i].item, interpreter, otherwise);
    if (!shown) return shown;
    while (i < rows->size()) {
      const auto same = is_equal((*rows)[i].key, key, meter);
      if (!same) return forward_error(same);
      if (!*same) break;
      members.push_back((*rows)[i++].item);
    }
    // A key that does not equal itself, as nan, is a group of its own.
    if (members.empty()) members.push_back((*rows)[i++].item);
    groups.push_back(Value::group(*std::move(shown), Value::list(std::move(members))));
  }
  return Value::list(std::move(groups));
}

}  // namespace

const std::vector<Filter>& order_filters() {
  static const std::vector<Filter> filters{
      {"sort", {{"reverse"}, {"case_sensitive"}, {"attribute"}}, sort},
      {"dictsort", {{"case_sensitive"}, {"by"}, {"reverse"}}, dict_sort},
      {"unique", {{"case_sensitive"}, {"attribute"}}, unique},
      {"min", {{"case_sensitive"}, {"attribute"}}, extreme<Relation::less>},
      {"max", {{"case_sensitive"}, {"attribute"}}, extreme<Relation::greater>},
      {"groupby", {{"attribute", Need::required}, {"default"}, {"case_sensitive"}}, group_by},
  };
  return filters;
}

}  // namespace ichor::jinja
