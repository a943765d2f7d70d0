#include "phase/kubernetes/judge.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/kubernetes/eligibility.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/readiness.h"

namespace ichor {

namespace {

constexpr const char* kCniFix =
    "install the CNI (phase 2), and look at its pod on this node: `ichor wait cilium`";

Unmet unmet_of(const KubeRef& ref, const Readiness& readiness, std::string fault) {
  return {to_text(ref), readiness.reason, fix_for(ref), std::move(fault),
          readiness.state == Readiness::State::failed};
}

/// A node that lacks its network: kubelet says so in words only, the others in conditions and
/// taints.
bool lacks_network(const KubeObject& node) {
  if (condition_status(node, "NetworkUnavailable") == "True") return true;
  const std::string words = text_at(condition(node, "Ready"), {"message"});
  if (words.find("cni") != std::string::npos ||
      words.find("NetworkPluginNotReady") != std::string::npos) {
    return true;
  }
  const KubeObject& taints = at(node, {"spec", "taints"});
  return taints.is_array() &&
         std::any_of(taints.begin(), taints.end(), [](const KubeObject& taint) {
           return text_at(taint, {"key"}) == "node.cilium.io/agent-not-ready";
         });
}

std::vector<Unmet> judge_node(const KubeObject& node) {
  const Readiness readiness = readiness_of(node);
  if (readiness.ready()) return {};
  const bool network = lacks_network(node);
  Unmet unmet = unmet_of(ref_of(node), readiness, network ? "K1" : "K6");
  if (network) unmet.fix = kCniFix;
  unmet.hopeless = false;
  return {unmet};
}

const KubeObject* find_named(const SeenObjects& objects, const std::string& name) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const KubeObject& object) {
    return name_in(object) == name;
  });
  return found == objects.end() ? nullptr : &*found;
}

bool owned_by(const KubeObject& pod, const KubeObject& owner) {
  return namespace_in(pod) == namespace_in(owner) &&
         selects(at(owner, {"spec", "selector"}), at(pod, {"metadata", "labels"}));
}

/// Pods that are not ready, for the reason of a workload: the first one speaks for all.
std::string trouble_of_pods(const KubeObject& owner, const SeenObjects& pods) {
  for (const KubeObject& pod : pods) {
    if (!owned_by(pod, owner)) continue;
    const Readiness readiness = readiness_of(pod);
    if (readiness.ready()) continue;
    const std::string node = text_at(pod, {"spec", "nodeName"});
    return fmt::format("pod {}{}{}: {}", name_in(pod), node.empty() ? "" : " on ", node,
                       readiness.reason);
  }
  return {};
}

Unmet missing(const Workload& wanted) {
  return missing_object(to_text(wanted.ref), wanted.missing_fix, wanted.fault);
}

}  // namespace

std::string fix_for(const KubeRef& ref) {
  const std::string& kind = ref.kind.kind;
  const std::string place = ref.name_space.empty() ? "" : " -n " + ref.name_space;
  if (kind == "Node") {
    return fmt::format("look at its kubelet: `talosctl -n {} service kubelet`", ref.name);
  }
  if (kind == "CertificateSigningRequest") {
    return fmt::format("look at who asks: `kubectl describe csr {}`", ref.name);
  }
  if (ref.kind.group.ends_with("toolkit.fluxcd.io") ||
      ref.kind.group.ends_with("controlplane.io")) {
    return fmt::format(
        "fix what it names in the repository, then `flux reconcile` it, or "
        "`kubectl{} describe {} {}`",
        place, kind, ref.name);
  }
  return fmt::format("`kubectl{} describe {} {}` has its events", place, kind, ref.name);
}

std::vector<Unmet> judge_nodes(const SeenObjects& nodes, const std::vector<std::string>& expected) {
  std::vector<Unmet> unmet;
  for (const std::string& name : expected) {
    if (find_named(nodes, name)) continue;
    unmet.push_back(
        {"Node/" + name, "it is not registered",
         fmt::format("its kubelet must reach the API: `talosctl -n {} logs kubelet`", name), "K6",
         false});
  }
  if (expected.empty() && nodes.empty()) {
    unmet.push_back({"Node", "there is none", "wait for kubelets to register", "K6", false});
  }
  for (const KubeObject& node : nodes) {
    for (Unmet& one : judge_node(node)) unmet.push_back(std::move(one));
  }
  return unmet;
}

std::vector<Unmet> judge_workload(const Workload& wanted, const SeenObjects& found,
                                  const SeenObjects& pods) {
  return judge_workload(wanted, find_named(found, wanted.ref.name), pods);
}

std::vector<Unmet> judge_workload(const Workload& wanted, const KubeObject* object,
                                  const SeenObjects& pods) {
  if (!object) return {missing(wanted)};
  const Readiness readiness = readiness_of(*object);
  if (readiness.ready()) return {};
  Unmet unmet = unmet_of(wanted.ref, readiness, wanted.fault);
  const std::string trouble = trouble_of_pods(*object, pods);
  if (!trouble.empty()) unmet.reason += "; " + trouble;
  return {unmet};
}

std::vector<Unmet> judge_daemon_set(const Workload& wanted, const SeenObjects& found,
                                    const SeenObjects& nodes, const SeenObjects& pods) {
  const KubeObject* set = find_named(found, wanted.ref.name);
  if (!set) return {missing(wanted)};
  std::vector<Unmet> unmet;
  std::int64_t eligible = 0;
  for (const KubeObject& node : nodes) {
    if (!wants_node(*set, node)) continue;
    ++eligible;
    if (pods.empty()) continue;
    const std::string name = name_in(node);
    std::string reason = "no pod of " + to_text(wanted.ref);
    for (const KubeObject& pod : pods) {
      if (text_at(pod, {"spec", "nodeName"}) != name || !owned_by(pod, *set)) continue;
      const Readiness readiness = readiness_of(pod);
      reason = readiness.ready() ? "" : fmt::format("pod {}: {}", name_in(pod), readiness.reason);
      if (readiness.ready()) break;
    }
    if (reason.empty()) continue;
    unmet.push_back({"Node/" + name, reason,
                     fmt::format("`kubectl -n {} get pods -o wide --field-selector "
                                 "spec.nodeName={}`",
                                 wanted.ref.name_space, name),
                     wanted.fault, false});
  }
  const Readiness readiness = readiness_of(*set);
  if (!unmet.empty()) return unmet;
  if (!readiness.ready()) {
    Unmet whole = unmet_of(wanted.ref, readiness, wanted.fault);
    const std::string trouble = trouble_of_pods(*set, pods);
    if (!trouble.empty()) whole.reason += "; " + trouble;
    return {whole};
  }
  const std::int64_t desired = number_at(*set, {"status", "desiredNumberScheduled"});
  if (desired < eligible) {
    unmet.push_back({to_text(wanted.ref),
                     fmt::format("it counts {} nodes, and {} are eligible", desired, eligible),
                     fix_for(wanted.ref), wanted.fault, false});
  }
  return unmet;
}

std::vector<Unmet> judge_one(const KubeObject& object, const std::string& fault) {
  const Readiness readiness = readiness_of(object);
  if (readiness.ready()) return {};
  return {unmet_of(ref_of(object), readiness, fault)};
}

std::vector<Unmet> judge_all(const SeenObjects& objects, const std::string& fault,
                             const std::string& missing) {
  std::vector<Unmet> unmet;
  if (objects.empty() && !missing.empty()) {
    unmet.push_back(
        {missing, "there is none", "has phase 2 installed what makes it?", fault, false});
  }
  for (const KubeObject& object : objects) {
    for (Unmet& one : judge_one(object, fault)) unmet.push_back(std::move(one));
  }
  return unmet;
}

std::vector<Unmet> judge_services(const std::string& node,
                                  const std::vector<ServiceStatus>& services) {
  std::vector<Unmet> unmet;
  bool has_kubelet = false;
  for (const ServiceStatus& service : services) {
    if (service.id == "kubelet") has_kubelet = true;
    const bool over = service.state == "Finished" || service.state == "Skipped";
    const bool well = service.state == "Running" && (service.healthy || service.health_unknown);
    if (over || well) continue;
    const std::string words = service.last_message.empty() ? "" : ": " + service.last_message;
    unmet.push_back({fmt::format("Node/{}", node),
                     fmt::format("service {} is {}{}{}", service.id, service.state,
                                 service.state == "Running" ? " and not healthy" : "", words),
                     fmt::format("`talosctl -n {} logs {}`", node, service.id), "K6", false});
  }
  if (!has_kubelet) {
    unmet.push_back({fmt::format("Node/{}", node), "there is no service kubelet",
                     fmt::format("`talosctl -n {} services`", node), "K6", false});
  }
  return unmet;
}

}  // namespace ichor
