#include "phase/kubernetes/manifests.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"
#include "secrets/base64.h"
#include "yaml/document.h"

namespace ichor {

namespace {

/// Rendered charts are large: CRDs of a whole stack have some ten thousand lines each.
constexpr yaml::Limits kLimits{64u << 20, 128, 8'000'000, 10, 10'000};

KubeObject scalar_of(const yaml::Node& node) {
  using yaml::ScalarType;
  switch (node.scalar_type().value_or(ScalarType::string)) {
    case ScalarType::null: return {};
    case ScalarType::boolean: return node.as_bool().value_or(false);
    case ScalarType::integer:
      if (const auto number = node.as_int()) return *number;
      return std::string(node.as_text().value_or(""));
    case ScalarType::floating:
      if (const auto number = node.as_double()) return *number;
      return std::string(node.as_text().value_or(""));
    case ScalarType::string: break;
  }
  return node.text;
}

void take(KubeObject object, std::vector<KubeObject>& objects) {
  const std::string kind = text_at(object, {"kind"});
  if (!kind.ends_with("List") || !at(object, {"items"}).is_array()) {
    objects.push_back(std::move(object));
    return;
  }
  for (KubeObject& item : object["items"]) take(std::move(item), objects);
}

}  // namespace

KubeObject json_of(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Kind::null: return {};
    case yaml::Kind::scalar: return scalar_of(node);
    case yaml::Kind::sequence: {
      KubeObject list = KubeObject::array();
      for (const yaml::Node& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case yaml::Kind::mapping: {
      KubeObject object = KubeObject::object();
      for (const yaml::Entry& entry : node.entries) object[entry.key.text] = json_of(entry.value);
      return object;
    }
  }
  return {};
}

Result<std::vector<KubeObject>> objects_of(std::string_view text, const std::string& where) {
  const auto documents = yaml::parse(text, where, kLimits);
  if (!documents) return forward_error(documents);
  std::vector<KubeObject> objects;
  for (const yaml::Document& document : *documents) {
    if (document.root.is_null()) continue;
    KubeObject object = json_of(document.root);
    if (text_at(object, {"kind"}).empty() || text_at(object, {"apiVersion"}).empty()) {
      return fail(Errc::invalid, fmt::format("{}: a document has no apiVersion or no kind",
                                             document.where(document.root)));
    }
    take(std::move(object), objects);
  }
  return objects;
}

std::vector<KubeObject> only_kind(std::vector<KubeObject> objects, std::string_view kind) {
  std::erase_if(objects,
                [&](const KubeObject& object) { return text_at(object, {"kind"}) != kind; });
  return objects;
}

KubeObject encoded_secret(KubeObject secret) {
  const auto plain = secret.find("stringData");
  if (plain == secret.end()) return secret;
  const KubeObject values = *plain;
  secret.erase("stringData");
  if (!values.is_object()) return secret;
  for (const auto& [key, value] : values.items()) {
    if (value.is_string()) secret["data"][key] = pki::base64(value.get<std::string>());
  }
  return secret;
}

void merge_values(KubeObject& under, const KubeObject& over) {
  if (!under.is_object() || !over.is_object()) {
    under = over;
    return;
  }
  for (const auto& [key, value] : over.items()) {
    if (under.contains(key)) {
      merge_values(under[key], value);
    } else {
      under[key] = value;
    }
  }
}

}  // namespace ichor
