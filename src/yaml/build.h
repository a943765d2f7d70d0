#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/node.h"

namespace ichor::yaml {

Node make_string(std::string_view text);
Node make_bool(bool flag);
Node make_int(std::int64_t number);
Node make_null();

/// A node of a C++ value. A text is always a string, also "true" and "5".
inline Node value(std::string_view text) { return make_string(text); }
inline Node value(const char* text) { return make_string(text); }
inline Node value(const std::string& text) { return make_string(text); }
inline Node value(Node node) { return node; }
template <std::integral T>
Node value(T number) {
  if constexpr (std::same_as<T, bool>) {
    return make_bool(number);
  } else {
    return make_int(static_cast<std::int64_t>(number));
  }
}

/// A sequence of strings, or of nodes.
Node list(const std::vector<std::string>& texts);
Node list(std::vector<Node> items);

/// A mapping in the making, in the order of the calls:
/// `map().set("disk", "/dev/sda").set("wipe", false).done()`.
class Map {
 public:
  Map() { node_.kind = Kind::mapping; }

  /// Adds a key; a key that is already there gets the new value in its old place.
  template <class T>
  Map& set(std::string_view key, T&& v) & {
    put(key, value(std::forward<T>(v)));
    return *this;
  }
  template <class T>
  Map&& set(std::string_view key, T&& v) && {
    put(key, value(std::forward<T>(v)));
    return std::move(*this);
  }
  bool empty() const { return node_.entries.empty(); }

  Node done() && { return std::move(node_); }
  operator Node() && { return std::move(node_); }
  operator Node() const& { return node_; }

 private:
  void put(std::string_view key, Node v);
  Node node_;
};

inline Map map() { return {}; }
inline Node value(Map&& map) { return std::move(map).done(); }
inline Node value(const Map& map) { return map; }

}  // namespace ichor::yaml
