#pragma once

#include "phase/phase.h"

namespace ichor {

/// Brings the node's config onto the node and waits until it has left installation with it. A node
/// that runs exactly this config is left alone. One that runs an earlier config of ours gets the
/// changed one: as it is before there is an etcd, without a reboot afterwards. One that was
/// configured outside ichor is not touched, unless the operator asked for that.
class Apply final : public NodePhase {
 public:
  /// What becomes of a config of this cluster that ichor did not send.
  enum class Foreign { refuse, overwrite };
  explicit Apply(Foreign foreign = Foreign::refuse) : foreign_(foreign) {}

  std::string_view name() const override { return "apply"; }
  Reads reads() const override { return {.status = true, .config = true, .etcd_data = true}; }
  Duration budget(const Budgets& budgets) const override { return budgets.apply; }
  Decision decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const override;

 private:
  Foreign foreign_;
};

/// The edits of the profile on workers that have a config already, before there is an etcd: there a
/// reboot costs nothing, and after the API answers it would. Everything else is left to Apply.
class ApplyEdits final : public NodePhase {
 public:
  std::string_view name() const override { return "edits"; }
  Reads reads() const override { return {.status = true, .config = true}; }
  Duration budget(const Budgets& budgets) const override { return budgets.apply; }
  Decision decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const override;
};

/// U13: the config is for another version of Kubernetes, older or newer, than `ichor upgrade-k8s`
/// brought the cluster to. Nothing if no upgrade is in the journal.
std::optional<Stop> other_than_upgraded(const Wanted& wanted, const NodeName& node,
                                        const MachineConfig& config);

}  // namespace ichor
