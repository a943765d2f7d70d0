#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ichor::lab {

/// A resource of the Kubernetes API that the lab serves.
struct KubeResource {
  std::string_view group;  // empty: core
  std::string_view plural;
  std::string_view singular;
  std::string_view kind;
  std::string_view short_names;  // with commas between
  bool namespaced;
};

const std::vector<KubeResource>& kube_resources();
const KubeResource* find_resource(std::string_view group, std::string_view plural);

/// "v1", "apps/v1".
std::string api_version(const KubeResource& resource);

}  // namespace ichor::lab
