#include "template/value.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/check.h"
#include "template/number.h"
#include "template/object.h"

namespace ichor::jinja {

namespace {

constexpr std::size_t kNoIndex = std::numeric_limits<std::size_t>::max();
/// A key of more parts than this is refused: asking whether it is hashable must stay cheap.
constexpr int kKeyPartsMax = 10'000;
constexpr int kKeyDepthMax = 50;

bool is_hashable(const Value& value, int depth, int& parts) {
  if (++parts > kKeyPartsMax || depth > kKeyDepthMax) return false;
  switch (value.kind()) {
    case Kind::list:
    case Kind::dict:
    case Kind::undefined: return false;
    case Kind::tuple:
      return std::all_of(value.as_tuple()->items.begin(), value.as_tuple()->items.end(),
                         [&](const Value& item) { return is_hashable(item, depth + 1, parts); });
    default: return true;
  }
}

std::size_t mixed(std::size_t seed, std::size_t hash) {
  return seed ^ (hash + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
}

/// The address of what is shared: the identity of a value that is not compared by content.
const void* address(const Value& value) {
  return std::visit(
      [](const auto& held) -> const void* {
        if constexpr (requires { held.get(); }) {
          return held.get();
        } else {
          return nullptr;
        }
      },
      value.data());
}

/// Values whose last owner died and which are still to be destroyed. Destroying one may add to it.
void bury(Items& items) {
  thread_local Items graveyard;
  thread_local bool digging = false;
  if (items.empty()) return;
  graveyard.insert(graveyard.end(), std::make_move_iterator(items.begin()),
                   std::make_move_iterator(items.end()));
  items.clear();
  if (digging) return;
  digging = true;
  while (!graveyard.empty()) {
    const Value last = std::move(graveyard.back());
    graveyard.pop_back();
  }
  digging = false;
}

bool is_all_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

List::~List() { bury(items); }
Tuple::~Tuple() { bury(items); }
Iterator::~Iterator() { bury(items); }
Dict::~Dict() { clear(); }

std::int64_t Range::size() const {
  const auto low = static_cast<std::uint64_t>(step > 0 ? start : stop);
  const auto high = static_cast<std::uint64_t>(step > 0 ? stop : start);
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step)
                                        : std::uint64_t{0} - static_cast<std::uint64_t>(step);
  const std::uint64_t count = (high - low - 1) / stride + 1;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(count, most));
}

std::int64_t Range::at(std::int64_t index) const {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                   static_cast<std::uint64_t>(index) *
                                       static_cast<std::uint64_t>(step));
}

Value Value::string(std::string utf8) {
  const bool ascii = is_all_ascii(utf8);
  return Value(Data(std::make_shared<const Text>(Text{std::move(utf8), ascii, false})));
}

Value Value::escaped(std::string utf8) {
  const bool ascii = is_all_ascii(utf8);
  return Value(Data(std::make_shared<const Text>(Text{std::move(utf8), ascii, true})));
}

Value Value::list(Items items) {
  auto list = std::make_shared<List>();
  list->items = std::move(items);
  return Value(Data(std::move(list)));
}

Value Value::tuple(Items items) {
  auto tuple = std::make_shared<Tuple>();
  tuple->items = std::move(items);
  return Value(Data(std::move(tuple)));
}

Value Value::group(Value grouper, Value items) {
  auto tuple = std::make_shared<Tuple>();
  tuple->items = {std::move(grouper), std::move(items)};
  tuple->is_group = true;
  return Value(Data(std::move(tuple)));
}

Value Value::dict(const std::vector<std::pair<Value, Value>>& entries) {
  auto dict = std::make_shared<Dict>();
  for (const auto& [key, value] : entries) dict->put(key, value);
  return Value(Data(std::move(dict)));
}

Value Value::sharing(std::shared_ptr<Dict> dict) { return Value(Data(std::move(dict))); }

Value Value::range(Range range) { return Value(Data(std::make_shared<const Range>(range))); }

Value Value::view(View view) { return Value(Data(std::make_shared<const View>(std::move(view)))); }

Value Value::iterator(Items items) {
  auto iterator = std::make_shared<Iterator>();
  iterator->items = std::move(items);
  return Value(Data(std::move(iterator)));
}

Value Value::object(std::shared_ptr<Object> object) { return Value(Data(std::move(object))); }

Value Value::undefined(Undefined why) {
  return Value(Data(std::make_shared<const Undefined>(std::move(why))));
}

bool is_hashable(const Value& value) {
  int parts = 0;
  return is_hashable(value, 0, parts);
}

std::size_t hash_of(const Value& key) {
  switch (key.kind()) {
    case Kind::boolean:
    case Kind::integer: return std::hash<std::int64_t>()(key.as_integer());
    case Kind::floating: {
      const double number = key.as_floating();
      // A float that equals an integer has that integer's hash.
      return std::fabs(number) < 9.2e18 && std::trunc(number) == number
                 ? std::hash<std::int64_t>()(static_cast<std::int64_t>(number))
                 : std::hash<double>()(number);
    }
    case Kind::string: return std::hash<std::string>()(key.as_string());
    case Kind::none: return 0x6e6f6e65;
    case Kind::tuple: {
      std::size_t hash = 0x7475706c;
      for (const Value& item : key.as_tuple()->items) hash = mixed(hash, hash_of(item));
      return hash;
    }
    case Kind::range: {
      const Range& range = key.as_range();
      return mixed(std::hash<std::int64_t>()(range.size()),
                   std::hash<std::int64_t>()(range.size() > 0 ? range.start : 0));
    }
    default: return std::hash<const void*>()(address(key));
  }
}

bool same_key(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return order_of(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::none: return true;
    case Kind::string: return a.as_string() == b.as_string();
    case Kind::tuple: {
      const Items& left = a.as_tuple()->items;
      const Items& right = b.as_tuple()->items;
      return left.size() == right.size() &&
             std::equal(left.begin(), left.end(), right.begin(), same_key);
    }
    case Kind::range: {
      const Range &left = a.as_range(), &right = b.as_range();
      const std::int64_t size = left.size();
      if (size != right.size()) return false;
      return size == 0 || (left.start == right.start && (size == 1 || left.step == right.step));
    }
    default: return address(a) == address(b);
  }
}

std::size_t Dict::index_of(const Value& key, std::size_t hash) const {
  const auto [first, last] = places_.equal_range(hash);
  for (auto place = first; place != last; ++place) {
    if (same_key(entries_[place->second].key, key)) return place->second;
  }
  return kNoIndex;
}

const Value* Dict::find(const Value& key) const {
  const std::size_t index = index_of(key, hash_of(key));
  return index == kNoIndex ? nullptr : &entries_[index].value;
}

const Value* Dict::find(std::string_view key) const {
  return find(Value::string(std::string(key)));
}

void Dict::put(const Value& key, Value value) {
  const std::size_t hash = hash_of(key);
  const std::size_t index = index_of(key, hash);
  if (index != kNoIndex) {
    entries_[index].value = std::move(value);
    return;
  }
  places_.emplace(hash, entries_.size());
  entries_.push_back({key, std::move(value)});
}

bool Dict::erase(const Value& key) {
  const std::size_t index = index_of(key, hash_of(key));
  if (index == kNoIndex) return false;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(index));
  places_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) places_.emplace(hash_of(entries_[i].key), i);
  return true;
}

void Dict::clear() {
  Items values;
  values.reserve(entries_.size());
  for (Entry& entry : entries_) values.push_back(std::move(entry.value));
  places_.clear();
  entries_.clear();
  bury(values);
}

std::string_view type_name(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined: return "undefined";
    case Kind::none: return "None";
    case Kind::boolean: return "bool";
    case Kind::integer: return "int";
    case Kind::floating: return "float";
    case Kind::string: return "str";
    case Kind::list: return "list";
    case Kind::tuple: return "tuple";
    case Kind::dict: return "dict";
    case Kind::range: return "range";
    case Kind::view: return "dict view";
    case Kind::iterator: return "generator";
    case Kind::object: return value.as_object()->type();
  }
  return "?";
}

Value deep_copy(const Value& value) {
  if (value.is(Kind::list)) {
    Items items;
    for (const Value& item : value.as_list()->items) items.push_back(deep_copy(item));
    return Value::list(std::move(items));
  }
  if (value.is(Kind::dict)) {
    Value copy = Value::dict();
    for (const auto& [key, held] : value.as_dict()->entries()) {
      copy.as_dict()->put(key, deep_copy(held));
    }
    return copy;
  }
  return value;
}

}  // namespace ichor::jinja
