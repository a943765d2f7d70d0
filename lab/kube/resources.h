#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/kube/api_server.h"

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

/// Whether the status of these objects is a resource of its own. A CustomResourceDefinition says it
/// for its kind.
bool has_status(const sim::ApiServer& api, const ichor::KubeResource& resource);
/// Whether a group is one of the server's own, which need no CustomResourceDefinition.
bool is_built_in(std::string_view group);

/// "v1", "apps/v1".
std::string api_version(const KubeResource& resource);

}  // namespace ichor::lab
