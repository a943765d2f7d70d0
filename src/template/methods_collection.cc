#include <algorithm>
#include <fmt/format.h>

#include "template/bind.h"
#include "template/interpreter.h"
#include "template/methods.h"
#include "template/operate.h"

namespace ichor::jinja {

namespace {

using Need = Parameter::Need;

/// Both sides of the check before something is put into a list or dict.
Outcome<void> may_hold(const Value& self, const Value& value, Interpreter& interpreter) {
  return refuse_cycle(self, value, interpreter.meter());
}

Outcome<void> pay_for_move(const Value& self, Interpreter& interpreter) {
  const auto size = static_cast<std::int64_t>(self.is(Kind::list) ? self.as_list()->items.size()
                                                                  : self.as_dict()->size());
  return interpreter.meter().spend(1 + size / 8);
}

Outcome<Value> append(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"item", Need::required}}, "method", "append");
  if (!given) return forward_error(given);
  if (auto ok = may_hold(self, given->value(0), interpreter); !ok) {
    return forward_error(ok);
  }
  self.as_list()->items.push_back(given->value(0));
  return Value::none();
}

Outcome<Value> extend(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"items", Need::required}}, "method", "extend");
  if (!given) return forward_error(given);
  const auto items = items_of(given->value(0), interpreter.meter());
  if (!items) return forward_error(items);
  if (!is_same(self, given->value(0))) {
    if (auto ok = may_hold(self, Value::list(*items), interpreter); !ok) {
      return forward_error(ok);
    }
  }
  Items& held = self.as_list()->items;
  held.insert(held.end(), items->begin(), items->end());
  return Value::none();
}

Outcome<Value> insert(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(
      arguments, {{"index", Need::required}, {"item", Need::required}}, "method", "insert");
  if (!given) return forward_error(given);
  const auto index = given->integer(0, 0);
  if (!index) return forward_error(index);
  if (auto ok = may_hold(self, given->value(1), interpreter); !ok) {
    return forward_error(ok);
  }
  if (auto paid = pay_for_move(self, interpreter); !paid) return forward_error(paid);
  Items& items = self.as_list()->items;
  const auto size = static_cast<std::int64_t>(items.size());
  const auto place = std::clamp<std::int64_t>(*index < 0 ? *index + size : *index, 0, size);
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(place), given->value(1));
  return Value::none();
}

Outcome<Value> pop_item(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"index"}}, "method", "pop");
  if (!given) return forward_error(given);
  const auto index = given->integer(0, -1);
  if (!index) return forward_error(index);
  Items& items = self.as_list()->items;
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t place = *index < 0 ? *index + size : *index;
  if (place < 0 || place >= size)
    return trouble("pop beyond the end of a list", "check its length");
  if (auto paid = pay_for_move(self, interpreter); !paid) return forward_error(paid);
  const auto at = items.begin() + static_cast<std::ptrdiff_t>(place);
  Value taken = std::move(*at);
  items.erase(at);
  return taken;
}

/// The place of the first equal item.
Outcome<std::optional<std::size_t>> find_item(const Items& items, const Value& wanted,
                                              Interpreter& interpreter) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto same = is_equal(items[i], wanted, interpreter.meter());
    if (!same) return forward_error(same);
    if (*same) return std::optional<std::size_t>(i);
  }
  return std::optional<std::size_t>();
}

Outcome<Value> remove(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"item", Need::required}}, "method", "remove");
  if (!given) return forward_error(given);
  Items& items = self.as_list()->items;
  const auto place = find_item(items, given->value(0), interpreter);
  if (!place) return forward_error(place);
  if (!*place) return trouble("the item to remove is not in the list", "check with in first");
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(**place));
  return Value::none();
}

const Items& items_in(const Value& self) {
  return self.is(Kind::list) ? self.as_list()->items : self.as_tuple()->items;
}

Outcome<Value> index(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"item", Need::required}}, "method", "index");
  if (!given) return forward_error(given);
  const auto place = find_item(items_in(self), given->value(0), interpreter);
  if (!place) return forward_error(place);
  if (!*place) return trouble("the item is not in the list", "check with in first");
  return Value::integer(static_cast<std::int64_t>(**place));
}

Outcome<Value> count(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {{"item", Need::required}}, "method", "count");
  if (!given) return forward_error(given);
  std::int64_t found = 0;
  for (const Value& item : items_in(self)) {
    const auto same = is_equal(item, given->value(0), interpreter.meter());
    if (!same) return forward_error(same);
    found += *same ? 1 : 0;
  }
  return Value::integer(found);
}

Outcome<Value> reverse(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {}, "method", "reverse");
  if (!given) return forward_error(given);
  if (auto paid = pay_for_move(self, interpreter); !paid) return forward_error(paid);
  std::reverse(self.as_list()->items.begin(), self.as_list()->items.end());
  return Value::none();
}

Outcome<Value> copy(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given = bind_arguments(arguments, {}, "method", "copy");
  if (!given) return forward_error(given);
  if (self.is(Kind::list)) {
    auto items = items_of(self, interpreter.meter());
    if (!items) return forward_error(items);
    return Value::list(*std::move(items));
  }
  Value made = Value::dict();
  if (auto done = update_dict(*made.as_dict(), self, interpreter.meter()); !done) {
    return forward_error(done);
  }
  return made;
}

Outcome<Value> clear(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given = bind_arguments(arguments, {}, "method", "clear");
  if (!given) return forward_error(given);
  if (self.is(Kind::list)) {
    self.as_list()->items.clear();
  } else {
    self.as_dict()->clear();
  }
  return Value::none();
}

template <View::Of of>
Outcome<Value> view(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given = bind_arguments(arguments, {}, "method", "items");
  if (!given) return forward_error(given);
  return Value::view({of, self.as_dict()});
}

/// The value of the key that was given first, if the dict has it.
Outcome<std::optional<Value>> look_up(const Value& self, const Value& key) {
  if (auto defined = need_defined(key); !defined) return forward_error(defined);
  if (!is_hashable(key)) {
    return trouble(fmt::format("{} cannot be the key of a dict", type_name(key)),
                   "use a text or a number");
  }
  const Value* found = self.as_dict()->find(key);
  return found == nullptr ? std::optional<Value>() : std::optional<Value>(*found);
}

Outcome<Value> get(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto given =
      bind_arguments(arguments, {{"key", Need::required}, {"default"}}, "method", "get");
  if (!given) return forward_error(given);
  auto found = look_up(self, given->value(0));
  if (!found) return forward_error(found);
  return *found ? **found : given->value(1);
}

Outcome<Value> pop_key(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given =
      bind_arguments(arguments, {{"key", Need::required}, {"default"}}, "method", "pop");
  if (!given) return forward_error(given);
  auto found = look_up(self, given->value(0));
  if (!found) return forward_error(found);
  if (!*found && given->has(1)) return given->value(1);
  if (!*found) return trouble("pop of a key that the dict does not have", "give it a default");
  const auto size = static_cast<std::int64_t>(self.as_dict()->size());
  if (auto paid = interpreter.meter().spend(size); !paid) return forward_error(paid);
  self.as_dict()->erase(given->value(0));
  return **found;
}

Outcome<Value> set_default(const Value& self, const Arguments& arguments,
                           Interpreter& interpreter) {
  const auto given =
      bind_arguments(arguments, {{"key", Need::required}, {"default"}}, "method", "setdefault");
  if (!given) return forward_error(given);
  auto found = look_up(self, given->value(0));
  if (!found) return forward_error(found);
  if (*found) return **found;
  if (auto ok = may_hold(self, given->value(1), interpreter); !ok) {
    return forward_error(ok);
  }
  self.as_dict()->put(given->value(0), given->value(1));
  return given->value(1);
}

Outcome<Value> update(const Value& self, const Arguments& arguments, Interpreter& interpreter) {
  const auto given =
      bind_arguments(arguments, {{"other"}, {"rest", Need::rest}}, "method", "update");
  if (!given) return forward_error(given);
  if (!given->rest.positional.empty()) return trouble("update takes one dict", "call it twice");
  Value more = Value::dict();
  if (given->has(0)) {
    if (auto done = update_dict(*more.as_dict(), given->value(0), interpreter.meter()); !done) {
      return forward_error(done);
    }
  }
  for (const auto& [name, value] : given->rest.named) {
    more.as_dict()->put(Value::string(name), value);
  }
  if (auto ok = may_hold(self, more, interpreter); !ok) return forward_error(ok);
  for (const auto& [key, value] : more.as_dict()->entries()) self.as_dict()->put(key, value);
  return Value::none();
}

struct Entry {
  std::string_view name;
  Method method;
};

constexpr Entry kListMethods[] = {
    {"append", append}, {"extend", extend}, {"insert", insert}, {"pop", pop_item},
    {"remove", remove}, {"index", index},   {"count", count},   {"reverse", reverse},
    {"copy", copy},     {"clear", clear},
};
constexpr Entry kTupleMethods[] = {{"index", index}, {"count", count}};
constexpr Entry kDictMethods[] = {
    {"items", view<View::Of::items>},
    {"keys", view<View::Of::keys>},
    {"values", view<View::Of::values>},
    {"get", get},
    {"pop", pop_key},
    {"setdefault", set_default},
    {"update", update},
    {"copy", copy},
    {"clear", clear},
};

template <std::size_t size>
Method find_in(const Entry (&table)[size], std::string_view name) {
  for (const Entry& entry : table) {
    if (entry.name == name) return entry.method;
  }
  return nullptr;
}

}  // namespace

Method find_collection_method(Kind kind, std::string_view name) {
  switch (kind) {
    case Kind::list: return find_in(kListMethods, name);
    case Kind::tuple: return find_in(kTupleMethods, name);
    case Kind::dict: return find_in(kDictMethods, name);
    default: return nullptr;
  }
}

}  // namespace ichor::jinja
