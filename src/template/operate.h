#pragma once

#include <cstdint>
#include <optional>

#include "template/meter.h"
#include "template/number.h"
#include "template/value.h"

namespace ichor::jinja {

/// What Python's operators do to values. All fail with the reason for an undefined value.

/// An error if the value is undefined.
Outcome<void> need_defined(const Value& value);

Outcome<bool> is_true(const Value& value);

enum class Relation { equal, not_equal, less, less_equal, greater, greater_equal };
Outcome<bool> is_equal(const Value& a, const Value& b, Meter& meter);
Outcome<bool> compare(Relation relation, const Value& a, const Value& b, Meter& meter);
/// `item in container`.
Outcome<bool> contains(const Value& container, const Value& item, Meter& meter);
/// `a is b`.
bool is_same(const Value& a, const Value& b);

/// Arithmetic on numbers, + on texts and lists, * on a text or list and a number, % on a text.
Outcome<Value> operate(Arithmetic operation, const Value& a, const Value& b, Meter& meter);

/// len().
Outcome<std::int64_t> length_of(const Value& value);

/// `value[first:last:step]`; what is left out is nothing.
struct Slice {
  std::optional<std::int64_t> start, stop;
  std::int64_t step{1};
};
Outcome<Value> slice_of(const Value& value, const Slice& slice, Meter& meter);

/// `container[key]`. Nothing if there is no such item, also where Python would raise a TypeError.
Outcome<std::optional<Value>> item_of(const Value& container, const Value& key);

/// `dict[key] = value`, which needs a hashable key.
Outcome<void> put_into(Dict& dict, const Value& key, Value value);

/// dict.update(): the entries of another dict, or of a list of pairs.
Outcome<void> update_dict(Dict& dict, const Value& source, Meter& meter);

/// Refuses to put `item` into `container` if the container could be reached from it: a value within
/// itself could never be printed, compared or freed.
Outcome<void> refuse_cycle(const Value& container, const Value& item, Meter& meter);

/// The items of a value one by one. A list is looked at as it is now, so one that grows goes on; a
/// dict must not change its size meanwhile.
class Cursor {
 public:
  static Outcome<Cursor> over(const Value& value, Meter& meter);
  /// Nothing at the end.
  Outcome<std::optional<Value>> next();
  /// How many items there are in all, as far as is known now.
  std::int64_t size() const;

 private:
  Value source_;
  Items snapshot_;
  std::size_t index_{0};
  std::size_t dict_size_{0};
};

/// All items of a value at once.
Outcome<Items> items_of(const Value& value, Meter& meter);

}  // namespace ichor::jinja
