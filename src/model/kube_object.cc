#include "model/kube_object.h"

#include <fmt/format.h>

namespace ichor {

namespace {

/// A member that is a text; empty where there is none.
std::string_view text_at(const KubeObject::object_t& members, std::string_view key) {
  const auto found = members.find(key);
  if (found == members.end()) return {};
  const auto* text = found->second.get_ptr<const std::string*>();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

}  // namespace

std::string to_text(const KubeRef& ref) {
  std::string text = ref.kind.kind;
  if (!ref.name_space.empty()) text.append("/").append(ref.name_space);
  return text.append("/").append(ref.name);
}

KubeKind kind_of(std::string_view api_version, std::string_view kind) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return {"", std::string(api_version), std::string(kind)};
  return {std::string(api_version.substr(0, slash)), std::string(api_version.substr(slash + 1)),
          std::string(kind)};
}

std::string api_version_of(const KubeKind& kind) {
  return kind.group.empty() ? kind.version : fmt::format("{}/{}", kind.group, kind.version);
}

KubeKind kind_of(const KubeObject& object) {
  const auto* members = object.get_ptr<const KubeObject::object_t*>();
  if (members == nullptr) return {};
  return kind_of(text_at(*members, "apiVersion"), text_at(*members, "kind"));
}

KubeRef ref_of(const KubeObject& object) {
  KubeRef ref;
  const auto* members = object.get_ptr<const KubeObject::object_t*>();
  if (members == nullptr) return ref;
  ref.kind = kind_of(text_at(*members, "apiVersion"), text_at(*members, "kind"));
  const auto metadata = members->find("metadata");
  if (metadata == members->end()) return ref;
  const auto* about = metadata->second.get_ptr<const KubeObject::object_t*>();
  if (about == nullptr) return ref;
  ref.name_space = text_at(*about, "namespace");
  ref.name = text_at(*about, "name");
  return ref;
}

}  // namespace ichor
