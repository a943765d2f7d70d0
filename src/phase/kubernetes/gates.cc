#include "phase/kubernetes/gates.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/readiness.h"

namespace ichor {

namespace {

const KubeKind kNode{"", "v1", "Node"};
const KubeKind kPod{"", "v1", "Pod"};
const KubeKind kDeployment{"apps", "v1", "Deployment"};
const KubeKind kDaemonSet{"apps", "v1", "DaemonSet"};
const KubeKind kCrd{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"};

KubeQuery all_of(const KubeKind& kind) { return {kind, {}, {}, {}}; }
KubeQuery in(const KubeKind& kind, const std::string& name_space) {
  return {kind, name_space, {}, {}};
}
KubeQuery named(const KubeKind& kind, const std::string& name_space, const std::string& name) {
  return {kind, name_space, {}, "metadata.name=" + name};
}

void append(std::vector<Unmet>& list, std::vector<Unmet> more) {
  std::move(more.begin(), more.end(), std::back_inserter(list));
}

Gate deployment_gate(std::string gate_name, Workload wanted) {
  Gate gate;
  gate.name = std::move(gate_name);
  gate.watches = {named(wanted.ref.kind, wanted.ref.name_space, wanted.ref.name)};
  gate.pods = {in(kPod, wanted.ref.name_space)};
  gate.judge = [wanted = std::move(wanted)](const GateView& view) {
    return judge_workload(wanted, view.objects[0], view.pods);
  };
  return gate;
}

/// A DaemonSet on every node, and a Deployment unless it has no name.
Gate pair_gate(std::string gate_name, const std::string& name_space, const std::string& daemon_set,
               const std::string& deployment, const std::string& fault, const std::string& fix) {
  const Workload on_nodes{{kDaemonSet, name_space, daemon_set}, fault, fix};
  const Workload central{{kDeployment, name_space, deployment}, fault, fix};
  Gate gate;
  gate.name = std::move(gate_name);
  gate.watches = {all_of(kNode), in(kDaemonSet, name_space), in(kDeployment, name_space)};
  gate.pods = {in(kPod, name_space)};
  gate.judge = [on_nodes, central](const GateView& view) {
    std::vector<Unmet> unmet;
    if (!on_nodes.ref.name.empty()) {
      unmet = judge_daemon_set(on_nodes, view.objects[1], view.objects[0], view.pods);
    }
    if (!central.ref.name.empty()) {
      append(unmet, judge_workload(central, view.objects[2], view.pods));
    }
    return unmet;
  };
  return gate;
}

}  // namespace

Gate nodes_gate(const std::vector<std::string>& expected, Duration stable) {
  Gate gate;
  gate.name = "nodes";
  gate.watches = {all_of(kNode)};
  gate.stable = stable;
  gate.judge = [expected](const GateView& view) { return judge_nodes(view.objects[0], expected); };
  return gate;
}

Gate cilium_gate(const KubernetesPlan::Gates& gates) {
  return pair_gate("cilium", gates.cilium_namespace, gates.cilium_daemonset, gates.cilium_operator,
                   "K1", "install Cilium (phase 2)");
}

Gate coredns_gate(const KubernetesPlan::Gates& gates) {
  return deployment_gate("coredns",
                         {{kDeployment, gates.coredns_namespace, gates.coredns_deployment},
                          "K6",
                          "install CoreDNS (phase 2), or say gates.coredns.deployment: none"});
}

Gate csi_gate(const KubernetesPlan::Gates& gates) {
  return pair_gate("csi", gates.csi_namespace, gates.csi_node, gates.csi_controller, "K6",
                   "install CSI, or correct gates.csi in the profile");
}

Gate crds_gate(const std::vector<std::string>& names) {
  Gate gate;
  gate.name = "crds";
  gate.watches = {all_of(kCrd)};
  gate.judge = [names](const GateView& view) {
    std::vector<Unmet> unmet;
    const KubeObjects& found = view.objects[0];
    for (const std::string& name : names) {
      const bool there = std::any_of(found.begin(), found.end(), [&](const KubeObject& object) {
        return name_in(object) == name;
      });
      if (there) continue;
      unmet.push_back({"CustomResourceDefinition/" + name, "it is not there", "apply it (phase 1)",
                       "K3", false});
    }
    append(unmet, judge_all(found, "K3"));
    return unmet;
  };
  return gate;
}

Gate flux_gate(const KubernetesPlan::Flux& flux) {
  constexpr const char* kSources = "source.toolkit.fluxcd.io";
  const Workload manager{{kDeployment, flux.name_space, flux.deployment},
                         "K4",
                         "install flux-operator (phase 2), or say phases.flux.operator: none"};
  const Workload instance{
      {{"fluxcd.controlplane.io", "", "FluxInstance"}, flux.name_space, flux.instance},
      "K4",
      "install the FluxInstance (phase 2), or say phases.flux.instance: none"};
  Gate gate;
  gate.name = "flux";
  gate.watches = {in(kDeployment, flux.name_space), in(instance.ref.kind, flux.name_space),
                  all_of({kSources, "", "GitRepository"}), all_of({kSources, "", "OCIRepository"}),
                  all_of({kSources, "", "Bucket"})};
  gate.pods = {in(kPod, flux.name_space)};
  gate.fault = "K4";
  gate.optional_kinds = true;
  gate.judge = [manager, instance](const GateView& view) {
    std::vector<Unmet> unmet;
    if (!manager.ref.name.empty()) unmet = judge_workload(manager, view.objects[0], view.pods);
    if (!instance.ref.name.empty()) append(unmet, judge_workload(instance, view.objects[1], {}));
    KubeObjects sources;
    for (std::size_t i = 2; i < view.objects.size(); ++i) {
      sources.insert(sources.end(), view.objects[i].begin(), view.objects[i].end());
    }
    append(unmet, judge_all(sources, "K4", "GitRepository, OCIRepository or Bucket"));
    return unmet;
  };
  return gate;
}

Gate kustomizations_gate() {
  Gate gate;
  gate.name = "kustomizations";
  gate.watches = {all_of({"kustomize.toolkit.fluxcd.io", "", "Kustomization"}),
                  all_of({"helm.toolkit.fluxcd.io", "", "HelmRelease"})};
  gate.fault = "K4";
  gate.optional_kinds = true;
  gate.judge = [](const GateView& view) {
    std::vector<Unmet> unmet = judge_all(view.objects[0], "K4", "Kustomization");
    append(unmet, judge_all(view.objects[1], "K4"));
    return unmet;
  };
  return gate;
}

Gate object_gate(const KubeRef& ref, const ObjectWish& wish) {
  Gate gate;
  gate.name = "object";
  gate.watches = {named(ref.kind, ref.name_space, ref.name)};
  gate.optional_kinds = wish.what == ObjectWish::For::deleted;
  gate.judge = [ref, wish](const GateView& view) -> std::vector<Unmet> {
    const KubeObjects& found = view.objects[0];
    if (wish.what == ObjectWish::For::deleted) {
      if (found.empty()) return {};
      return {{to_text(ref_of(found.front())), "it is still there",
               "look at its finalizers: metadata.finalizers", "K6", false}};
    }
    if (found.empty()) return {{to_text(ref), "it is not there", "create it", "K6", false}};
    if (wish.what == ObjectWish::For::exists) return {};
    if (wish.what == ObjectWish::For::ready) return judge_one(found.front(), "K6");
    const Readiness held = condition_holds(found.front(), wish.condition, wish.status);
    if (held.ready()) return {};
    return {
        {to_text(ref_of(found.front())), held.reason, fix_for(ref_of(found.front())), "K6", false}};
  };
  return gate;
}

}  // namespace ichor
