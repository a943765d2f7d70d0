#include "lab/kube/validation.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"
#include "secrets/base64.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

constexpr std::size_t kLabelMax = 63;
constexpr std::size_t kNameMax = 253;

bool is_lower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alphanumeric(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_of_key(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

/// Characters of `inner`, of which the first and last are of `ends`.
bool is_word(std::string_view text, bool (*ends)(char), bool (*inner)(char)) {
  return !text.empty() && ends(text.front()) && ends(text.back()) &&
         std::all_of(text.begin(), text.end(), inner);
}

bool is_dns_label(std::string_view text) {
  return text.size() <= kLabelMax &&
         is_word(text, is_lower, [](char c) { return is_lower(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  if (text.size() > kNameMax) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (!is_word(part, is_lower, [](char c) { return is_lower(c) || c == '-'; })) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_path_segment(std::string_view text) {
  return text != "." && text != ".." && text.find_first_of("/%") == std::string_view::npos;
}

bool is_name_of(const KubeKind& kind, std::string_view name) {
  if (kind.group == "rbac.authorization.k8s.io") return is_path_segment(name);
  const bool is_label = kind.group.empty() && (kind.kind == "Namespace" || kind.kind == "Service");
  return is_label ? is_dns_label(name) : is_subdomain(name);
}

bool is_core(const json& object, std::string_view kind) {
  return text_at(object, {"apiVersion"}) == "v1" && text_at(object, {"kind"}) == kind;
}

CallError invalid(const json& object, std::string_view field, std::string_view value,
                  std::string_view why) {
  return {Call::kube_apply, Progress::answered, TlsVerdict::fine, Code::invalid_argument,
          fmt::format("{} \"{}\" is invalid: {}: Invalid value: \"{}\": {}",
                      text_at(object, {"kind"}), name_in(object), field, value, why)};
}

std::optional<CallError> fault_in_labels(const json& object) {
  const json& labels = at(object, {"metadata", "labels"});
  if (!labels.is_object()) return std::nullopt;
  for (const auto& [key, value] : labels.items()) {
    if (!is_label_key(key)) {
      return invalid(object, "metadata.labels", key,
                     "name part must consist of alphanumeric characters, '-', '_' or '.', and must "
                     "start and end with an alphanumeric character");
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (!value.is_string() || !is_label_value(text)) {
      return invalid(object, "metadata.labels", text,
                     "a valid label must be an empty string or consist of alphanumeric characters, "
                     "'-', '_' or '.', and must start and end with an alphanumeric character");
    }
  }
  return std::nullopt;
}

std::optional<CallError> fault_in_keys(const json& object) {
  for (const char* field : {"data", "binaryData", "stringData"}) {
    const json& data = at(object, {field});
    if (!data.is_object()) continue;
    for (const auto& [key, value] : data.items()) {
      if (!key.empty() && std::all_of(key.begin(), key.end(), is_of_key)) continue;
      return invalid(object, fmt::format("{}[{}]", field, key), key,
                     "a valid config key must consist of alphanumeric characters, '-', '_' or '.'");
    }
  }
  return std::nullopt;
}

std::string type_of(const json& secret) {
  const std::string& type = text_at(secret, {"type"});
  return type.empty() ? "Opaque" : type;
}

std::optional<CallError> fault_in_change(const json& before, const json& now) {
  if (is_core(now, "Secret") && type_of(before) != type_of(now)) {
    return invalid(now, "type", type_of(now), "field is immutable");
  }
  if (!flag_at(before, {"immutable"})) return std::nullopt;
  for (const char* field : {"data", "binaryData", "immutable"}) {
    if (at(before, {field}) == at(now, {field})) continue;
    return invalid(now, field, "", "field is immutable when `immutable` is set");
  }
  return std::nullopt;
}

void drop_empty(json& object, std::initializer_list<const char*> fields) {
  for (const char* field : fields) {
    const auto found = object.find(field);
    if (found != object.end() && (found->is_null() || found->empty())) object.erase(found);
  }
}

/// The form in which a Secret or a ConfigMap is kept.
void settle_data(json& object) {
  if (is_core(object, "Secret")) {
    const json texts = at(object, {"stringData"});
    object.erase("stringData");
    if (texts.is_object()) {
      for (const auto& [key, text] : texts.items()) {
        object["data"][key] = pki::base64(text.get<std::string>());
      }
    }
    object["type"] = type_of(object);
  }
  drop_empty(object, {"data", "binaryData"});
}

}  // namespace

bool is_label_value(std::string_view text) {
  return text.empty() || (text.size() <= kLabelMax && is_word(text, is_alphanumeric, is_of_key));
}

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    if (!is_subdomain(text.substr(0, slash))) return false;
    text.remove_prefix(slash + 1);
  }
  return !text.empty() && is_label_value(text);
}

std::string undecodable(const json& object) {
  const bool is_secret = is_core(object, "Secret");
  if (!is_secret && !is_core(object, "ConfigMap")) return {};
  for (const char* field : {"data", "binaryData", "stringData"}) {
    const json& data = at(object, {field});
    if (data.is_null()) continue;
    if (!data.is_object()) return fmt::format(".{}: expected map", field);
    const bool is_bytes = std::string_view(field) == (is_secret ? "data" : "binaryData");
    for (const auto& [key, value] : data.items()) {
      if (value.is_null() && is_bytes) continue;
      if (!value.is_string()) return fmt::format(".{}.{}: expected string", field, key);
      if (is_bytes && !pki::from_base64(value.get<std::string>())) {
        return fmt::format(".{}.{}: illegal base64 data", field, key);
      }
    }
  }
  return {};
}

std::optional<CallError> validate(const json* before, json& now) {
  const std::string& name = name_in(now);
  if (!before && !is_name_of(ref_of(now).kind, name)) {
    return invalid(now, "metadata.name", name,
                   "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                   "characters, '-' or '.', and must start and end with an alphanumeric character");
  }
  if (auto fault = fault_in_labels(now)) return fault;
  drop_empty(now["metadata"], {"labels", "annotations", "finalizers", "ownerReferences"});
  if (!is_core(now, "Secret") && !is_core(now, "ConfigMap")) return std::nullopt;
  if (auto fault = fault_in_keys(now)) return fault;
  settle_data(now);
  return before ? fault_in_change(*before, now) : std::nullopt;
}

}  // namespace ichor::lab
