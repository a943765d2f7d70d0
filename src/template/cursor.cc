#include <fmt/format.h>

#include "template/object.h"
#include "template/operate.h"
#include "template/unicode.h"

namespace ichor::jinja {

namespace {

Value pair_of(const Dict::Entry& entry) { return Value::tuple({entry.key, entry.value}); }

void append_entries(const Dict& dict, View::Of of, Items& items) {
  for (const Dict::Entry& entry : dict.entries()) {
    if (of == View::Of::items) items.push_back(pair_of(entry));
    if (of == View::Of::keys) items.push_back(entry.key);
    if (of == View::Of::values) items.push_back(entry.value);
  }
}

}  // namespace

Outcome<Cursor> Cursor::over(const Value& value, Meter& meter) {
  Cursor cursor;
  cursor.source_ = value;
  std::int64_t count = 0;
  if (value.is(Kind::iterator)) {
    count = static_cast<std::int64_t>(value.as_iterator().items.size());
  } else if (!value.is(Kind::undefined) && !value.is(Kind::object)) {
    const auto size = length_of(value);
    if (!size) {
      return trouble(fmt::format("{} cannot be gone through", type_name(value)),
                     "use a list, a dict or a text");
    }
    count = *size;
  }
  if (auto paid = meter.spend_items(count); !paid) return forward_error(paid);
  switch (value.kind()) {
    case Kind::undefined:
      if (!value.as_undefined().prints_nothing) {
        return tl::unexpected(need_defined(value).error());
      }
      break;
    case Kind::list:
    case Kind::tuple:
    case Kind::range:
    case Kind::iterator: break;
    case Kind::string:
      for (const char32_t point : to_points(value.as_string())) {
        std::string letter;
        append_point(letter, point);
        cursor.snapshot_.push_back(Value::string(std::move(letter)));
      }
      break;
    case Kind::dict:
      append_entries(*value.as_dict(), View::Of::keys, cursor.snapshot_);
      cursor.dict_size_ = value.as_dict()->size();
      break;
    case Kind::view:
      append_entries(*value.as_view().dict, value.as_view().of, cursor.snapshot_);
      cursor.dict_size_ = value.as_view().dict->size();
      break;
    default:
      return trouble(fmt::format("{} cannot be gone through", type_name(value)),
                     "use a list, a dict or a text");
  }
  return cursor;
}

Outcome<std::optional<Value>> Cursor::next() {
  const auto from = [this](const Items& items) {
    return index_ < items.size() ? std::optional<Value>(items[index_++]) : std::optional<Value>();
  };
  switch (source_.kind()) {
    case Kind::list: return from(source_.as_list()->items);
    case Kind::tuple: return from(source_.as_tuple()->items);
    case Kind::range: {
      const Range& range = source_.as_range();
      const auto at = static_cast<std::int64_t>(index_);
      if (at >= range.size()) return std::optional<Value>();
      ++index_;
      return Value::integer(range.at(at));
    }
    case Kind::iterator: {
      Iterator& iterator = source_.as_iterator();
      if (iterator.next >= iterator.items.size()) return std::optional<Value>();
      return iterator.items[iterator.next++];
    }
    case Kind::dict:
    case Kind::view: {
      const Dict& dict = source_.is(Kind::dict) ? *source_.as_dict() : *source_.as_view().dict;
      if (dict.size() != dict_size_) {
        return trouble("a dict changed its size while it was gone through",
                       "go through its | list instead");
      }
      return from(snapshot_);
    }
    default: return from(snapshot_);
  }
}

std::int64_t Cursor::size() const {
  if (source_.is(Kind::iterator)) {
    return static_cast<std::int64_t>(source_.as_iterator().items.size());
  }
  return length_of(source_).value_or(0);
}

Outcome<void> update_dict(Dict& dict, const Value& source, Meter& meter) {
  if (source.is(Kind::dict)) {
    const auto entries = source.as_dict()->entries();
    if (auto paid = meter.spend_items(static_cast<std::int64_t>(entries.size())); !paid)
      return paid;
    for (const auto& [key, value] : entries) dict.put(key, value);
    return {};
  }
  auto pairs = items_of(source, meter);
  if (!pairs) return forward_error(pairs);
  for (const Value& pair : *pairs) {
    auto parts = items_of(pair, meter);
    if (!parts) return forward_error(parts);
    if (parts->size() != 2) return trouble("a dict is made of pairs", "give it a list of pairs");
    if (auto put = put_into(dict, (*parts)[0], (*parts)[1]); !put) return put;
  }
  return {};
}

Outcome<Items> items_of(const Value& value, Meter& meter) {
  auto cursor = Cursor::over(value, meter);
  if (!cursor) return forward_error(cursor);
  Items items;
  while (true) {
    auto next = cursor->next();
    if (!next) return forward_error(next);
    if (!*next) return items;
    items.push_back(*std::move(*next));
  }
}

}  // namespace ichor::jinja
