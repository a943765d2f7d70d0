#pragma once

#include <fmt/format.h>
#include <string>

#include "phase/test_upgrade.h"
#include "phase/upgrade_k8s.h"

namespace ichor {

/// Three control planes and two workers that run Kubernetes 1.35.2 on Talos 1.13.9, and configs of
/// the version that they are upgraded to.
class UpgradeK8sRig : public UpgradeRig {
 protected:
  UpgradeK8sRig() {
    upgrade_.target = {1, 36, 3};
    upgrade_.target_given = true;
    for (NodeView& one : view_.nodes) one.version = TalosVersion{1, 13, 9};
    plan_for("v1.36.3");
    for (NodeView& one : view_.nodes) {
      runs_config(one.node.value(), config_of(one.node.value(), "v1.35.2"));
      for (const char* name : {"kube-apiserver", "kube-controller-manager", "kube-scheduler"}) {
        if (one.node.value()[0] == 'c') one.kube->components[name] = pod(name, "v1.35.2");
      }
      one.kube->components["kube-proxy"] = pod("kube-proxy", "v1.35.2");
      one.kube->kubelet_version = "v1.35.2";
    }
    view_.kube.emplace();
    view_.kube->proxy_uid = "proxy";
    view_.kube->proxy_image = "registry.k8s.io/kube-proxy:v1.35.2";
  }

  static ComponentPod pod(const std::string& name, const std::string& version) {
    return {fmt::format("registry.k8s.io/{}:{}", name, version), true};
  }

  static std::string config_of(const std::string& name, const std::string& version,
                               const std::string& arguments = "{}") {
    std::string text = fmt::format(
        "version: v1alpha1\nmachine:\n  type: {}\n  kubelet: {{image: "
        "\"ghcr.io/siderolabs/kubelet:{}\", extraArgs: {}}}\n",
        name[0] == 'c' ? "controlplane" : "worker", version, arguments);
    if (name[0] != 'c') return text;
    text += "cluster:\n";
    for (const char* part : {"apiServer", "controllerManager", "scheduler", "proxy"}) {
      text += fmt::format("  {}: {{image: \"registry.k8s.io/{}:{}\"}}\n", part, part, version);
    }
    return text;
  }

  /// What the profile leads to.
  void plan_for(const std::string& version, const std::string& arguments = "{}") {
    for (const NodePlan& plan : profile_.nodes) {
      const SecretString text(config_of(plan.name.value(), version, arguments));
      configs_.nodes[plan.name] = *with_images(text, {}, plan.role);
    }
  }

  void runs_config(const std::string& name, const std::string& text) {
    NodeView& one = node(name);
    one.config_text = std::make_shared<const SecretString>(text);
    one.config = with_images(*one.config_text, {}, Role::worker)->canonical;
  }

  /// The node takes what a decision sends, and its pod comes up with it.
  void takes(const Decision& decision, bool comes_up = true) {
    const NodeCall& call = std::get<Act>(decision).node_call();
    NodeView& one = node(call.node.value());
    one.config_text = std::make_shared<const SecretString>(call.config->bytes);
    one.config = call.config->canonical;
    const auto settings = read_kubernetes(call.config->bytes);
    for (const auto& [component, image] : settings->images) {
      const std::string name(name_of(component));
      const auto known = one.kube->components.find(name);
      const bool changed = known != one.kube->components.end() && known->second.image != image;
      if (component < KubeComponent::proxy && changed) known->second = {image, comes_up};
      if (component == KubeComponent::kubelet) {
        one.kube->kubelet_version = tag_of_image(image);
        one.kube->ready = comes_up;
      }
    }
  }

  /// The journal after the upgrade has started.
  void started() {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.key = kKubernetesKey;
    record.value = to_text(upgrade_.target);
    facts_.fold(record, now_);
  }

  ClusterView seen_by(const UpgradeComponent& step) const {
    return step.looks_at_workers() ? view_ : control_planes();
  }

  KubernetesUpgrade upgrade_;
};

}  // namespace ichor
