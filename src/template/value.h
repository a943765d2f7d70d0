#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "template/error.h"

namespace ichor::jinja {

class Value;
class Object;
using Items = std::vector<Value>;

enum class Kind {
  undefined,
  none,
  boolean,
  integer,
  floating,
  string,
  list,
  tuple,
  dict,
  range,
  view,      // what dict.items(), keys() and values() give
  iterator,  // what map, select and their like give: to be gone through once
  object,    // macros, methods, namespaces, loop
};

struct None {
  bool operator==(const None&) const = default;
};

/// A name without a value. Whoever uses it fails with `what`; it may be asked `is defined`, given a
/// default, and passed on.
struct Undefined {
  std::string what;
  std::string name;
  bool is_variable{false};                 // then near names are looked for among the variables
  bool prints_nothing{false};              // an inline if without else: empty, not an error
  bool is_doubtful{false};                 // the name came out of a value and may be a secret
  std::weak_ptr<const struct Dict> owner;  // whose key is missing, to look for near names
  Position at;
};

struct Text {
  std::string bytes;  // UTF-8
  bool is_ascii{true};
  bool is_escaped{false};  // HTML was already escaped
};

/// Lists, dicts and tuples are taken apart with a work list when they die: a template can nest them
/// deeper than the stack is.
struct List {
  Items items;
  ~List();
};

struct Tuple {
  Items items;
  bool is_group{false};  // of groupby: the items are also called grouper and list
  ~Tuple();
};

struct Range {
  std::int64_t start{0}, stop{0}, step{1};
  std::int64_t size() const;
  /// One beyond an end may not fit into 64 bits: then it wraps around, and no caller uses it.
  std::int64_t at(std::int64_t index) const;
};

struct View {
  enum class Of { items, keys, values };
  Of of{Of::items};
  std::shared_ptr<Dict> dict;
};

/// Made at once, because nothing here is lazy; `next` says how far it was gone through.
struct Iterator {
  Items items;
  std::size_t next{0};
  ~Iterator();
};

/// A value as Python has it: numbers and texts are copied, lists, dicts and objects are shared. For
/// a caller of render() it is made of the static functions below and then only read.
class Value {
 public:
  using Data =
      std::variant<std::shared_ptr<const Undefined>, None, bool, std::int64_t, double,
                   std::shared_ptr<const Text>, std::shared_ptr<List>, std::shared_ptr<Tuple>,
                   std::shared_ptr<Dict>, std::shared_ptr<const Range>, std::shared_ptr<const View>,
                   std::shared_ptr<Iterator>, std::shared_ptr<Object>>;

  Value() : data_(None{}) {}
  static Value none() { return {}; }
  static Value boolean(bool flag) { return Value(Data(flag)); }
  static Value integer(std::int64_t number) { return Value(Data(number)); }
  static Value floating(double number) { return Value(Data(number)); }
  static Value string(std::string utf8);
  static Value escaped(std::string utf8);
  static Value list(Items items);
  static Value tuple(Items items);
  static Value group(Value grouper, Value items);
  /// A later key replaces an earlier equal one, in its place. Keys must be hashable.
  static Value dict(const std::vector<std::pair<Value, Value>>& entries = {});
  static Value sharing(std::shared_ptr<Dict> dict);
  static Value range(Range range);
  static Value view(View view);
  static Value iterator(Items items);
  static Value object(std::shared_ptr<Object> object);
  static Value undefined(Undefined why);

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is(Kind kind) const { return this->kind() == kind; }
  bool is_undefined() const { return is(Kind::undefined); }
  bool is_none() const { return is(Kind::none); }
  bool is_string() const { return is(Kind::string); }
  bool is_number() const { return is(Kind::boolean) || is(Kind::integer) || is(Kind::floating); }
  /// An integer, or a boolean, which Python takes for 0 or 1.
  bool is_integral() const { return is(Kind::boolean) || is(Kind::integer); }

  // Each needs its kind.
  const Undefined& as_undefined() const { return *std::get<0>(data_); }
  bool as_boolean() const { return std::get<bool>(data_); }
  double as_floating() const { return std::get<double>(data_); }
  const Text& text() const { return *std::get<std::shared_ptr<const Text>>(data_); }
  const std::string& as_string() const { return text().bytes; }
  const std::shared_ptr<List>& as_list() const { return std::get<std::shared_ptr<List>>(data_); }
  const std::shared_ptr<Tuple>& as_tuple() const { return std::get<std::shared_ptr<Tuple>>(data_); }
  const std::shared_ptr<Dict>& as_dict() const { return std::get<std::shared_ptr<Dict>>(data_); }
  const Range& as_range() const { return *std::get<std::shared_ptr<const Range>>(data_); }
  const View& as_view() const { return *std::get<std::shared_ptr<const View>>(data_); }
  Iterator& as_iterator() const { return *std::get<std::shared_ptr<Iterator>>(data_); }
  const std::shared_ptr<Object>& as_object() const {
    return std::get<std::shared_ptr<Object>>(data_);
  }
  /// Of an integral value.
  std::int64_t as_integer() const {
    return is(Kind::boolean) ? std::int64_t{as_boolean()} : std::get<std::int64_t>(data_);
  }
  /// Of any number.
  double as_number() const {
    return is(Kind::floating) ? as_floating() : static_cast<double>(as_integer());
  }

  const Data& data() const { return data_; }
  Data& data() { return data_; }

 private:
  explicit Value(Data data) : data_(std::move(data)) {}
  Data data_;
};

/// Entries in the order in which their keys were first put in.
struct Dict {
  struct Entry {
    Value key;
    Value value;
  };

  ~Dict();
  const std::vector<Entry>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  /// Null if there is no such key. The key must be hashable.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  void put(const Value& key, Value value);
  bool erase(const Value& key);
  void clear();

 private:
  std::size_t index_of(const Value& key, std::size_t hash) const;
  std::vector<Entry> entries_;
  std::unordered_multimap<std::size_t, std::size_t> places_;  // hash → index
};

/// A hash under which equal keys are equal: 1, 1.0 and True are one key, as in Python. Nothing for
/// what cannot be a key.
bool is_hashable(const Value& value);
std::size_t hash_of(const Value& key);
/// Equality of hashable values.
bool same_key(const Value& a, const Value& b);

/// "str", "list", "NoneType": as Python calls it.
std::string_view type_name(const Value& value);

/// A value whose lists and dicts are its own, so that a template cannot change the caller's.
Value deep_copy(const Value& value);

}  // namespace ichor::jinja
