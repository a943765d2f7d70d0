#pragma once

#include <functional>
#include <optional>
#include <string>

#include "phase/phase.h"
#include "phase/upgrade_plan.h"

namespace ichor {

/// One node on its way to the new version: cordon, drain, install, reboot, uncordon. Where it is
/// follows from what is seen and from the journal, so a run that was interrupted goes on anywhere.
///
/// The verdict comes from the node's state alone: another boot, the version, the schematic, running
/// and ready, and no mark of an upgrade left in META. A node that runs its old version again has
/// fallen back.
class NodeUpgrade {
 public:
  /// All must outlive it.
  NodeUpgrade(const UpgradePlan& plan, const Wanted& wanted, const NodePlan& node,
              const NodeView& view);

  /// It runs the new version, and what ichor did to it on the way is undone.
  bool done() const;
  bool runs_target() const;
  /// The new image was asked for: it may be installed, or the node away because of it.
  bool asked() const;
  /// It was taken out of service, or asked.
  bool under_way() const;

  /// What is due. `may_go_down` is asked before anything that takes the node out of service.
  using Guard = std::function<std::optional<Decision>()>;
  Decision next(const Guard& may_go_down) const;

 private:
  bool at_goal() const;
  bool same_boot(const MutationFact& sent) const;
  /// The last Upgrade to this image, unless the node refused it; null: there is none.
  const MutationFact* sent() const;
  Decision confirm() const;
  Decision fallen_back() const;
  Decision drain(const Guard& may_go_down) const;
  Decision follow_install(const MutationFact& sent, const Guard& may_go_down) const;
  Decision reboot(const Guard& may_go_down) const;
  Decision install(const Guard& may_go_down) const;
  NodeCall call(Call call, std::string why) const;
  const std::string& name() const { return node_.name.value(); }
  bool drains() const { return plan_.drain && !(view_.kube && view_.kube->uid.empty()); }

  const UpgradePlan& plan_;
  const Wanted& wanted_;
  const NodePlan& node_;
  const NodeView& view_;
  std::string image_;
  std::optional<Finding> refused_;  // there is no image
};

/// Whether the node's release has the LifecycleService.
bool has_lifecycle(const TalosVersion& version);

}  // namespace ichor
