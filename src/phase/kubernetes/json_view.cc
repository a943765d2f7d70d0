#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

constexpr std::size_t kWordsMax = 400;

const KubeObject& nothing() {
  static const KubeObject null;
  return null;
}

/// Up to here, comparing one key after the other is quicker than walking the tree of a map.
constexpr std::size_t kFewKeys = 12;

const KubeObject* member(const KubeObject& object, std::string_view key) {
  const auto* members = object.get_ptr<const KubeObject::object_t*>();
  if (members == nullptr) return nullptr;
  if (members->size() > kFewKeys) {
    const auto found = members->find(key);
    return found == members->end() ? nullptr : &found->second;
  }
  for (const auto& [name, value] : *members) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace

const KubeObject& at(const KubeObject& object, std::initializer_list<std::string_view> path) {
  const KubeObject* place = &object;
  for (const std::string_view key : path) {
    place = member(*place, key);
    if (place == nullptr) return nothing();
  }
  return *place;
}

const std::string& text_at(const KubeObject& object, std::initializer_list<std::string_view> path) {
  static const std::string none;
  const auto* text = at(object, path).get_ptr<const std::string*>();
  return text == nullptr ? none : *text;
}

std::int64_t number_at(const KubeObject& object, std::initializer_list<std::string_view> path,
                       std::int64_t otherwise) {
  const KubeObject& value = at(object, path);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

bool flag_at(const KubeObject& object, std::initializer_list<std::string_view> path) {
  const KubeObject& value = at(object, path);
  return value.is_boolean() && value.get<bool>();
}

const std::string& name_in(const KubeObject& object) {
  return text_at(object, {"metadata", "name"});
}

const std::string& namespace_in(const KubeObject& object) {
  return text_at(object, {"metadata", "namespace"});
}

const KubeObject& condition(const KubeObject& object, std::string_view type) {
  const KubeObject& conditions = at(object, {"status", "conditions"});
  if (!conditions.is_array()) return nothing();
  for (const KubeObject& entry : conditions) {
    if (text_at(entry, {"type"}) == type) return entry;
  }
  return nothing();
}

const std::string& condition_status(const KubeObject& object, std::string_view type) {
  return text_at(condition(object, type), {"status"});
}

std::string words_of(const KubeObject& condition) {
  const std::string reason = text_at(condition, {"reason"});
  const std::string message = text_at(condition, {"message"}).substr(0, kWordsMax);
  if (reason.empty() || message.empty()) return reason + message;
  return reason + ": " + message;
}

}  // namespace ichor
