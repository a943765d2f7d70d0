#include "lint/c8_control_plane_only.h"

#include <algorithm>

#include "lint/settings.h"
#include "model/reporter.h"

namespace ichor {

namespace {

bool scheduling_allowed(const LintInput& input, const NodeSettings& settings) {
  const Setting allowed = settings.last({"cluster", "allowSchedulingOnControlPlanes"});
  if (allowed) return allowed.value->as_bool().value_or(false);
  for (const Setting& node : settings.documents("KubeNodeConfig")) {
    const yaml::Node* taint =
        node.value->find_path({"taints", "node-role.kubernetes.io/control-plane"});
    if (taint != nullptr && taint->find("$patch") != nullptr) return true;
  }
  return input.profile.talos.allow_scheduling_on_control_planes;
}

bool keeps_back(const NodeSettings& settings) {
  return settings.last({"machine", "kubelet", "extraConfig", "systemReserved"}) ||
         settings.last({"machine", "kubelet", "extraConfig", "kubeReserved"}) ||
         settings.last({"machine", "kubelet", "extraConfig", "evictionHard"}) ||
         settings.last({"machine", "kubelet", "extraArgs", "system-reserved"}) ||
         settings.last({"machine", "kubelet", "extraArgs", "kube-reserved"});
}

}  // namespace

void lint_control_plane_only(const LintInput& input, std::vector<Finding>& findings) {
  const ClusterProfile& profile = input.profile;
  const bool workers = std::any_of(profile.nodes.begin(), profile.nodes.end(),
                                   [](const NodePlan& n) { return n.role == Role::worker; });
  if (workers || profile.nodes.empty()) return;
  Reporter report(findings);
  const auto any_lacks = [&](auto has) {
    return std::any_of(profile.nodes.begin(), profile.nodes.end(),
                       [&](const NodePlan& node) { return !has(NodeSettings(input, node)); });
  };
  const std::string where = input.source.where("talos.allow_scheduling_on_control_planes");
  if (any_lacks([&](const NodeSettings& s) { return scheduling_allowed(input, s); })) {
    report.warning("scheduling.nowhere", where,
                   "there are no workers, and control planes take no pods",
                   "write `allow_scheduling_on_control_planes: true` under talos");
  } else if (any_lacks(keeps_back)) {
    report.warning("scheduling.guardrails", where,
                   "pods run next to etcd, and no resources are reserved for it",
                   has_typed_documents(profile)
                       ? "set config.systemReserved of a KubeletConfig (cpu, memory, "
                         "ephemeral-storage) in a patch"
                       : "set machine.kubelet.extraConfig.systemReserved (cpu, memory, "
                         "ephemeral-storage) in a patch");
  }
}

}  // namespace ichor
