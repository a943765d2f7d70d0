#include "lab/kube/workloads.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"
#include "sim/node/digest.h"

namespace ichor::lab {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kManager = "kube-controller-manager";
/// From a change to the controller's look, and from a place on a node to a ready pod.
constexpr Duration kNotice = milliseconds(300);
constexpr Duration kStart = seconds(3);

bool is_set(const KubeRef& ref) {
  return ref.kind.group == "apps" &&
         (ref.kind.kind == "Deployment" || ref.kind.kind == "DaemonSet" ||
          ref.kind.kind == "StatefulSet");
}

std::string suffix(const std::string& seed) {
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t bits = sim::head_of(sim::quick_digest(seed));
  std::string text;
  for (; text.size() < 5; bits = sim::mix(bits)) text += letters[bits % letters.size()];
  return text;
}

KubeRef pod_ref(const KubeRef& set, const std::string& name) {
  return {{"", "v1", "Pod"}, set.name_space, name};
}

Workloads::Object pod_object(const KubeRef& set, const Workloads::Object& object,
                             const std::string& name, const std::string& node, bool ready) {
  Workloads::Object pod{{"apiVersion", "v1"}, {"kind", "Pod"}};
  Workloads::Object labels = at(object, {"spec", "template", "metadata", "labels"});
  if (!labels.is_object()) labels = at(object, {"spec", "selector", "matchLabels"});
  pod["metadata"] = {{"name", name}, {"namespace", set.name_space}};
  if (labels.is_object()) pod["metadata"]["labels"] = std::move(labels);
  pod["metadata"]["ownerReferences"] = {{{"apiVersion", "apps/v1"},
                                         {"kind", set.kind.kind},
                                         {"name", set.name},
                                         {"uid", text_at(object, {"metadata", "uid"})},
                                         {"controller", true}}};
  const Workloads::Object& spec = at(object, {"spec", "template", "spec"});
  pod["spec"] = spec.is_object() ? spec : Workloads::Object::object();
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  Workloads::Object& status = pod["status"];
  status["phase"] = ready ? "Running" : "Pending";
  status["conditions"] = {{{"type", "PodScheduled"}, {"status", node.empty() ? "False" : "True"}},
                          {{"type", "Ready"}, {"status", ready ? "True" : "False"}}};
  return pod;
}

}  // namespace

Workloads::Workloads(sim::ApiServer& api, Clock& clock,
                     std::function<bool(const KubeRef&)> is_foreign)
    : api_(api), clock_(clock), is_foreign_(std::move(is_foreign)), later_(clock) {
  api_.listen([this](const KubeRef& ref, const Object* before, const Object* now) {
    if (!is_set(ref)) return;
    const bool same = before && now &&
                      number_at(*before, {"metadata", "generation"}) ==
                          number_at(*now, {"metadata", "generation"});
    if (!same) look_soon(ref, kNotice);
  });
}

void Workloads::look_soon(const KubeRef& ref, Duration delay) {
  later_.after(delay, [this, ref] { look(ref); });
}

void Workloads::look_at_all() {
  std::vector<KubeRef> all;
  for (const auto& [ref, set] : sets_) all.push_back(ref);
  for (const KubeRef& ref : all) look(ref);
}

std::vector<Workloads::Wanted> Workloads::wanted_pods(const KubeRef& ref, const Object& object,
                                                      Set& set) const {
  std::vector<std::string> all, ready, open;
  const auto nodes = api_.list({{"", "v1", "Node"}, {}, {}, {}});
  for (const Object& node : nodes ? nodes->items : SeenObjects{}) {
    all.push_back(name_in(node));
    if (condition_status(node, "Ready") != "True") continue;
    ready.push_back(name_in(node));
    if (!flag_at(node, {"spec", "unschedulable"})) open.push_back(name_in(node));
  }
  const std::int64_t generation = number_at(object, {"metadata", "generation"});
  std::vector<Wanted> wanted;
  if (ref.kind.kind == "DaemonSet") {
    for (const std::string& node : all) {
      const std::string seed = fmt::format("{}{}{}{}", ref.name_space, ref.name, node, generation);
      wanted.push_back({fmt::format("{}-{}", ref.name, suffix(seed)), node});
    }
    return wanted;
  }
  const auto replicas = static_cast<std::size_t>(number_at(object, {"spec", "replicas"}, 1));
  for (std::size_t i = 0; i < replicas; ++i) {
    std::string seed = fmt::format("{}{}{}{}", ref.name_space, ref.name, i, generation);
    if (const int moved = set.evictions[i]; moved > 0) seed += fmt::format("-{}", moved);
    const bool numbered = ref.kind.kind == "StatefulSet";
    // A pod stays where it is, also on a node that was cordoned since.
    std::string& place = set.places[i];
    const bool stays = std::find(ready.begin(), ready.end(), place) != ready.end();
    if (!stays) place = open.empty() ? "" : open[i % open.size()];
    wanted.push_back({numbered ? fmt::format("{}-{}", ref.name, i)
                               : fmt::format("{}-{}", ref.name, suffix(seed)),
                      place});
  }
  return wanted;
}

void Workloads::forget_pods(const KubeRef& ref, Set& set, const std::vector<Wanted>& kept) {
  for (auto pod = set.ready_at.begin(); pod != set.ready_at.end();) {
    const bool stays = std::any_of(kept.begin(), kept.end(),
                                   [&](const Wanted& one) { return one.name == pod->first; });
    if (!stays) api_.erase(pod_ref(ref, pod->first));
    pod = stays ? std::next(pod) : set.ready_at.erase(pod);
  }
}

void Workloads::look(const KubeRef& ref) {
  if (is_foreign_(ref)) return;
  const Object* found = api_.find(ref);
  if (!found) {
    const auto known = sets_.find(ref);
    if (known == sets_.end()) return;
    forget_pods(ref, known->second, {});
    sets_.erase(known);
    return;
  }
  // Pods are changes of their own; the set may be another object after them.
  const Object object = *found;
  Set& set = sets_[ref];
  const std::vector<Wanted> wanted = wanted_pods(ref, object, set);
  forget_pods(ref, set, wanted);
  std::int64_t ready = 0;
  bool waits = false;
  std::vector<std::string> ready_nodes;
  for (const Wanted& one : wanted) {
    const auto [place, is_new] = set.ready_at.try_emplace(one.name, kNever);
    if (!one.node.empty() && place->second == kNever) {
      place->second = later(clock_.now(), kStart);
    }
    const bool runs = !one.node.empty() && place->second <= clock_.now();
    waits = waits || (!one.node.empty() && !runs);
    ready += runs ? 1 : 0;
    if (runs) ready_nodes.push_back(one.node);
    api_.put(pod_object(ref, object, one.name, one.node, runs), kManager);
  }
  publish(ref, object, static_cast<std::int64_t>(wanted.size()), ready);
  if (waits) look_soon(ref, kStart);
  if (ready_nodes == set.ready_nodes) return;
  set.ready_nodes = ready_nodes;
  if (on_ready && ref.kind.kind == "DaemonSet") on_ready(ref, ready_nodes);
}

void Workloads::evict(const KubeRef& pod) {
  for (auto& [ref, set] : sets_) {
    const Object* object = api_.find(ref);
    if (!object || ref.kind.kind == "DaemonSet" || ref.name_space != pod.name_space) continue;
    const std::vector<Wanted> pods = wanted_pods(ref, *object, set);
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (pods[i].name != pod.name) continue;
      set.places.erase(i);
      ++set.evictions[i];
      set.ready_at.erase(pod.name);
      api_.erase(pod);
      look_soon(ref, kNotice);
      return;
    }
  }
  api_.erase(pod);
}

void Workloads::publish(const KubeRef& ref, const Object& object, std::int64_t wanted,
                        std::int64_t ready) {
  Object status{{"observedGeneration", number_at(object, {"metadata", "generation"})}};
  if (ref.kind.kind == "DaemonSet") {
    for (const char* name :
         {"desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled"}) {
      status[name] = wanted;
    }
    status["numberMisscheduled"] = 0;
    status["numberReady"] = ready;
    status["numberAvailable"] = ready;
  } else {
    for (const char* name : {"replicas", "updatedReplicas"}) status[name] = wanted;
    for (const char* name : {"readyReplicas", "availableReplicas"}) status[name] = ready;
    if (ref.kind.kind == "StatefulSet") status["currentReplicas"] = wanted;
    status["conditions"] = {
        {{"type", "Available"}, {"status", ready == wanted ? "True" : "False"}}};
  }
  api_.put_status(ref, std::move(status));
}

}  // namespace ichor::lab
