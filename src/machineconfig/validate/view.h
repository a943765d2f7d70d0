#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yaml/node.h"

namespace ichor::validate {

/// A value of a config that may be absent: then it is empty, false or zero, and stands where it
/// would have to be written, which is at its parent.
class View {
 public:
  View(const yaml::Node* node, yaml::Position at) : node_(node), at_(at) {
    if (node_ != nullptr && node_->at.line > 0) at_ = node_->at;
  }
  explicit View(const yaml::Node& node) : View(&node, node.at) {}

  /// The value of a key.
  View operator[](std::string_view key) const;

  bool set() const { return node_ != nullptr && !node_->is_null(); }
  explicit operator bool() const { return set(); }
  yaml::Position at() const { return at_; }
  /// Only if it is set.
  const yaml::Node& node() const { return *node_; }

  const std::string& text() const;
  bool empty() const { return text().empty(); }
  bool flag() const { return text() == "true"; }
  std::int64_t number() const;

  std::vector<View> items() const;
  /// The keys and values of a mapping.
  std::vector<std::pair<std::string, View>> entries() const;
  /// How many items or keys there are.
  std::size_t count() const;

 private:
  const yaml::Node* node_;
  yaml::Position at_;
};

}  // namespace ichor::validate
