#include "lab/kube/cluster.h"

#include <utility>

#include "lab/kube/resources.h"
#include "phase/kubernetes/json_view.h"
#include "sim/node/digest.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

constexpr const char* kManager = "kube-controller-manager";

}  // namespace

KubeCluster::KubeCluster(Clock& clock, std::string kubernetes_version)
    : clock_(clock),
      version_(std::move(kubernetes_version)),
      api_(clock),
      controllers_(api_, clock),
      workloads_(api_, clock, [this](const KubeRef& ref) { return followed_.contains(ref); }),
      flux_(api_, clock) {
  for (const KubeResource& resource : kube_resources()) {
    api_.serve({std::string(resource.group), "v1", std::string(resource.kind)},
               std::string(resource.plural), resource.namespaced);
  }
  api_.stamp = [this](json& metadata) {
    const std::uint64_t number = sim::head_of(sim::quick_digest(metadata.dump()));
    metadata["uid"] = sim::uuid_from(number, sim::mix(number));
    metadata["creationTimestamp"] = kube_time(clock_.wall());
  };
}

void KubeCluster::follow(std::vector<KubeObject> now) {
  std::map<KubeRef, json> rest = std::exchange(followed_, {});
  std::vector<json> changed;
  for (KubeObject& object : now) {
    const KubeRef ref = ref_of(object.body);
    const auto old = rest.find(ref);
    const bool same = old != rest.end() && old->second == object.body;
    if (old != rest.end()) rest.erase(old);
    if (!same) changed.push_back(object.body);
    followed_.emplace(ref, std::move(object.body));
  }
  for (json& object : changed) api_.put(std::move(object), kManager);
  for (const auto& [ref, gone] : rest) api_.erase(ref);
  if (!changed.empty() || !rest.empty()) workloads_.look_at_all();
}

}  // namespace ichor::lab
