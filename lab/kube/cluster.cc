#include "lab/kube/cluster.h"

#include <utility>

#include "lab/kube/resources.h"
#include "lab/kube/validation.h"
#include "phase/kubernetes/json_view.h"
#include "sim/node/digest.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

/// How long a pod takes from its new image to Ready.
constexpr Duration kRestartTime = std::chrono::seconds(3);
constexpr const char* kManager = "kube-controller-manager";

KubeRef node_ref(const std::string& name) { return {{"", "v1", "Node"}, "", name}; }

bool is_cordoned(const sim::ApiServer& api, const std::string& node) {
  const json* found = api.find(node_ref(node));
  return found && flag_at(*found, {"spec", "unschedulable"});
}

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
  api_.on_evict = [this](const KubeRef& pod) { evict(pod); };
  api_.validate = validate;
  api_.stamp = [this](json& metadata) {
    const std::uint64_t number = sim::head_of(sim::quick_digest(metadata.dump()));
    metadata["uid"] = sim::uuid_from(number, sim::mix(number));
    metadata["creationTimestamp"] = kube_time(clock_.wall());
  };
}

void KubeCluster::evict(const KubeRef& pod) {
  const auto followed = followed_.find(pod);
  if (followed == followed_.end()) return workloads_.evict(pod);
  avoided_.insert(text_at(followed->second, {"spec", "nodeName"}));
  followed_.erase(followed);
  api_.erase(pod);
}

void KubeCluster::displace(KubeView& view) {
  std::erase_if(avoided_, [&](const std::string& node) { return !is_cordoned(api_, node); });
  std::vector<const KubeNode*> places;
  for (const KubeNode& node : view.nodes) {
    if (node.ready && !is_cordoned(api_, node.name)) places.push_back(&node);
  }
  std::size_t next = 0;
  for (KubePod& pod : view.pods) {
    if (pod.owner_kind != "ReplicaSet" || !avoided_.contains(pod.node)) continue;
    pod.name += "-" + pod.node;
    pod.running = pod.ready = !places.empty();
    pod.node = places.empty() ? std::string() : places[next++ % places.size()]->name;
  }
}

void KubeCluster::restart(KubeView& view) {
  version_ = view.version;
  for (KubeWorkload& workload : view.workloads) {
    const KubeRef ref{{"apps", "v1", workload.kind}, "kube-system", workload.name};
    const json* kept = api_.find(ref);
    if (!kept) continue;
    const json& containers = at(*kept, {"spec", "template", "spec", "containers"});
    if (!containers.is_array() || containers.empty()) continue;
    workload.image = text_at(containers.front(), {"image"});
    for (KubePod& pod : view.pods) {
      if (pod.app == workload.app && !pod.is_static) pod.image = workload.image;
    }
  }
  for (KubePod& pod : view.pods) {
    const auto [known, is_new] = running_.try_emplace(pod.name, Running{pod.image, {}});
    if (!is_new && known->second.image != pod.image) {
      known->second = {pod.image, clock_.now()};
    }
    const bool starting =
        known->second.since != MonoTime{} && clock_.now() - known->second.since < kRestartTime;
    if (starting) pod.ready = false;
  }
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
  for (json& object : changed) {
    // Who cordoned a node owns that field, and the kubelet leaves it alone.
    const KubeRef ref = ref_of(object);
    if (ref.kind.kind == "Node" && is_cordoned(api_, ref.name))
      object["spec"]["unschedulable"] = true;
    api_.put(std::move(object), kManager);
  }
  for (const auto& [ref, gone] : rest) api_.erase(ref);
  if (!changed.empty() || !rest.empty()) workloads_.look_at_all();
}

}  // namespace ichor::lab
