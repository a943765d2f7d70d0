#include "model/kube_object.h"

#include <fmt/format.h>

namespace ichor {

namespace {

std::string text_at(const KubeObject& object, const char* key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string to_text(const KubeRef& ref) {
  if (ref.name_space.empty()) return fmt::format("{}/{}", ref.kind.kind, ref.name);
  return fmt::format("{}/{}/{}", ref.kind.kind, ref.name_space, ref.name);
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

KubeRef ref_of(const KubeObject& object) {
  KubeRef ref;
  ref.kind = kind_of(text_at(object, "apiVersion"), text_at(object, "kind"));
  if (!object.is_object() || !object.contains("metadata")) return ref;
  ref.name_space = text_at(object["metadata"], "namespace");
  ref.name = text_at(object["metadata"], "name");
  return ref;
}

}  // namespace ichor
