#pragma once

#include <memory>
#include <vector>

#include "phase/sequence.h"
#include "phase/upgrade_plan.h"

namespace ichor {

/// Refuses what cannot go well before anything is changed on any node: the path, the images, the
/// quorum. Exit code 5.
class UpgradeCheck final : public ClusterPhase {
 public:
  explicit UpgradeCheck(UpgradePlan plan) : plan_(std::move(plan)) {}
  std::string_view name() const override { return "upgrade check"; }
  bool looks_at_workers() const override { return true; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override { return budgets.etcd; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  std::vector<Finding> refusals(const Wanted& wanted, const ClusterView& view) const;

  UpgradePlan plan_;
};

/// Has the image pulled, so that no node is drained for an image that does not exist.
class PullImage final : public NodePhase {
 public:
  explicit PullImage(UpgradePlan plan) : plan_(std::move(plan)) {}
  std::string_view name() const override { return "pull image"; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override { return 2 * budgets.pull; }
  Decision decide(const Wanted& wanted, const NodePlan& node, const NodeView& view) const override;

 private:
  UpgradePlan plan_;
};

/// Upgrades the control planes one after another, the leader of etcd last, and each only while etcd
/// is healthy and keeps its quorum without it.
class UpgradeControlPlanes final : public ClusterPhase {
 public:
  explicit UpgradeControlPlanes(UpgradePlan plan) : plan_(std::move(plan)) {}
  std::string_view name() const override { return "upgrade control planes"; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override;
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  UpgradePlan plan_;
};

/// Upgrades a worker. How many at the same time is for the turnstile.
class UpgradeWorker final : public NodePhase {
 public:
  explicit UpgradeWorker(UpgradePlan plan) : plan_(std::move(plan)) {}
  std::string_view name() const override { return "upgrade workers"; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override { return budgets.upgrade + budgets.drain; }
  Decision decide(const Wanted& wanted, const NodePlan& node, const NodeView& view) const override;

 private:
  UpgradePlan plan_;
};

/// All nodes at once: success is said only of what was just seen together.
class Upgraded final : public ClusterPhase {
 public:
  explicit Upgraded(UpgradePlan plan) : plan_(std::move(plan)) {}
  std::string_view name() const override { return "upgraded"; }
  bool looks_at_workers() const override { return true; }
  Reads reads() const override;
  Duration budget(const Budgets& budgets) const override { return budgets.verify; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  UpgradePlan plan_;
};

/// The complete upgrade in order.
std::vector<Step> upgrade_steps(const UpgradePlan& plan);

}  // namespace ichor
