#pragma once

#include <vector>

#include "machineconfig/kubernetes_images.h"
#include "phase/sequence.h"

namespace ichor {

/// To which version Kubernetes is brought. The configs of the run are those of that version.
struct KubernetesUpgrade {
  TalosVersion target{};     // of Kubernetes
  bool target_given{false};  // by --to; else it is the profile's
};

/// Refuses what cannot go well before anything is changed: the path, what the new version does not
/// have any more, nodes that run other configs than the profile's. Exit code 5.
class KubernetesCheck final : public ClusterPhase {
 public:
  explicit KubernetesCheck(KubernetesUpgrade upgrade) : upgrade_(std::move(upgrade)) {}
  std::string_view name() const override { return "check"; }
  bool looks_at_workers() const override { return true; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override { return budgets.preflight; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  KubernetesUpgrade upgrade_;
};

/// Has the images pulled on every node, so that no component is stopped for one that does not
/// exist.
class PullKubernetes final : public NodePhase {
 public:
  explicit PullKubernetes(KubernetesUpgrade upgrade) : upgrade_(std::move(upgrade)) {}
  std::string_view name() const override { return "pull images"; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override { return 2 * budgets.pull; }
  Decision decide(const Wanted& wanted, const NodePlan& node, const NodeView& view) const override;

 private:
  KubernetesUpgrade upgrade_;
};

/// Brings one component to the new version on all nodes that run it, one node after another: its
/// image in the machine config, without a reboot, then the pod or the kubelet is waited for. No
/// node is touched while the component is not well on another one.
class UpgradeComponent final : public ClusterPhase {
 public:
  UpgradeComponent(KubernetesUpgrade upgrade, KubeComponent component)
      : upgrade_(std::move(upgrade)), component_(component) {}
  std::string_view name() const override { return name_of(component_); }
  bool looks_at_workers() const override { return component_ == KubeComponent::kubelet; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override;
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  Decision next(const Wanted& wanted, const ClusterView& view) const;

  KubernetesUpgrade upgrade_;
  KubeComponent component_;
};

/// The bootstrap manifest that names a version of Kubernetes: the DaemonSet kube-proxy. One that
/// Helm or Flux owns, or that runs a newer image, is left alone.
class UpdateProxy final : public ClusterPhase {
 public:
  explicit UpdateProxy(KubernetesUpgrade upgrade) : upgrade_(std::move(upgrade)) {}
  std::string_view name() const override { return "manifests"; }
  bool looks_at_workers() const override { return true; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override { return 2 * budgets.verify; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  KubernetesUpgrade upgrade_;
};

/// All nodes at once: success is said only of what was just seen together.
class KubernetesUpgraded final : public ClusterPhase {
 public:
  explicit KubernetesUpgraded(KubernetesUpgrade upgrade) : upgrade_(std::move(upgrade)) {}
  std::string_view name() const override { return "upgraded"; }
  bool looks_at_workers() const override { return true; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override { return budgets.verify; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  KubernetesUpgrade upgrade_;
};

/// The complete upgrade in order.
std::vector<Step> upgrade_k8s_steps(const KubernetesUpgrade& upgrade);

}  // namespace ichor
