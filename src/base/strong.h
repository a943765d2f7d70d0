#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace ichor {

/// A value that is not interchangeable with another of the same representation: a NodeName is no
/// Fingerprint. `Tag` is an empty struct that names the type.
template <class Tag, class Rep>
class Strong {
 public:
  Strong() = default;
  explicit Strong(Rep value) : value_(std::move(value)) {}

  const Rep& value() const { return value_; }
  auto operator<=>(const Strong&) const = default;

 private:
  Rep value_{};
};

template <class Tag>
using StrongString = Strong<Tag, std::string>;

template <class Tag>
using StrongNumber = Strong<Tag, std::uint64_t>;

}  // namespace ichor

template <class Tag, class Rep>
struct std::hash<ichor::Strong<Tag, Rep>> {
  std::size_t operator()(const ichor::Strong<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};
