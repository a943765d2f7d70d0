#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ichor {

using KubeObject = nlohmann::json;
using KubeObjects = std::vector<KubeObject>;

/// A kind of objects. Without a version, the one that the server prefers.
struct KubeKind {
  std::string group;  // "apps"; empty for the core group
  std::string version;
  std::string kind;  // "Deployment"; find_kind() also takes plural, singular and short names

  auto operator<=>(const KubeKind&) const = default;
};

/// One object: "Node/cp1", "Deployment/kube-system/coredns".
struct KubeRef {
  KubeKind kind;
  std::string name_space;  // empty for what belongs to the cluster
  std::string name;

  auto operator<=>(const KubeRef&) const = default;
};

std::string to_text(const KubeRef& ref);
/// What an object says of itself; parts that it lacks are empty.
KubeRef ref_of(const KubeObject& object);
/// A kind by the apiVersion and kind of an object: ("apps/v1", "Deployment").
KubeKind kind_of(std::string_view api_version, std::string_view kind);
/// "apps/v1", "v1".
std::string api_version_of(const KubeKind& kind);

struct KubeQuery {
  KubeKind kind;
  std::string name_space;  // empty: all
  std::string labels;      // a selector: "k8s-app=kube-dns"
  std::string fields;      // "metadata.name=coredns"

  auto operator<=>(const KubeQuery&) const = default;
};

}  // namespace ichor
