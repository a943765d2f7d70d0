#include "lint/material.h"

#include <algorithm>

namespace ichor {

namespace {

std::vector<std::string> split_pointer(std::string_view pointer) {
  std::vector<std::string> keys;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t slash = pointer.find('/');
    std::string key;
    for (std::size_t i = 0; i < std::min(slash, pointer.size()); ++i) {
      const bool escaped = pointer[i] == '~' && i + 1 < pointer.size();
      key += escaped ? (pointer[++i] == '1' ? '/' : '~') : pointer[i];
    }
    keys.push_back(std::move(key));
    pointer = slash == std::string_view::npos ? std::string_view() : pointer.substr(slash);
  }
  return keys;
}

bool is_index(std::string_view key) {
  return key == "-" || key == "-1" ||
         (!key.empty() && key.find_first_not_of("0123456789") == std::string_view::npos);
}

/// The place of a key, made if it is missing.
yaml::Node& child(yaml::Node& parent, const std::string& key, yaml::Position at) {
  if (is_index(key)) {
    parent.kind = yaml::Kind::sequence;
    parent.items.emplace_back();
    parent.items.back().at = at;
    return parent.items.back();
  }
  parent.kind = yaml::Kind::mapping;
  for (yaml::Entry& entry : parent.entries) {
    if (entry.key.text == key) return entry.value;
  }
  yaml::Entry entry;
  entry.key.kind = yaml::Kind::scalar;
  entry.key.text = key;
  entry.key.at = entry.value.at = at;
  parent.entries.push_back(std::move(entry));
  return parent.entries.back().value;
}

}  // namespace

yaml::Node as_mapping(const yaml::Node& steps) {
  constexpr std::size_t depth_max = 32;
  yaml::Node root;
  if (!steps.is_sequence()) return root;
  root.at = steps.at;
  for (const yaml::Node& step : steps.items) {
    const yaml::Node* path = step.find("path");
    const yaml::Node* value = step.find("value");
    const auto pointer = path != nullptr ? path->as_text() : std::nullopt;
    if (!pointer || !pointer->starts_with('/')) return {};
    const std::vector<std::string> keys = split_pointer(*pointer);
    if (keys.size() > depth_max) return {};
    yaml::Node* place = &root;
    for (const std::string& key : keys) place = &child(*place, key, step.at);
    if (value != nullptr) *place = *value;
  }
  return root;
}

}  // namespace ichor
