#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

constexpr std::size_t kWordsMax = 400;

const KubeObject& nothing() {
  static const KubeObject null;
  return null;
}

}  // namespace

const KubeObject& at(const KubeObject& object, std::initializer_list<std::string_view> path) {
  const KubeObject* place = &object;
  for (const std::string_view key : path) {
    if (!place->is_object()) return nothing();
    const auto found = place->find(key);
    if (found == place->end()) return nothing();
    place = &*found;
  }
  return *place;
}

std::string text_at(const KubeObject& object, std::initializer_list<std::string_view> path) {
  const KubeObject& value = at(object, path);
  return value.is_string() ? value.get<std::string>() : std::string();
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

std::string name_in(const KubeObject& object) { return text_at(object, {"metadata", "name"}); }

std::string namespace_in(const KubeObject& object) {
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

std::string condition_status(const KubeObject& object, std::string_view type) {
  return text_at(condition(object, type), {"status"});
}

std::string words_of(const KubeObject& condition) {
  const std::string reason = text_at(condition, {"reason"});
  const std::string message = text_at(condition, {"message"}).substr(0, kWordsMax);
  if (reason.empty() || message.empty()) return reason + message;
  return reason + ": " + message;
}

}  // namespace ichor
