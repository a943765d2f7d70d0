#pragma once

#include "phase/phase.h"

namespace ichor {

/// Which member of etcd goes.
struct ForgetPlan {
  NodeName node;
  bool dead{false};  // by the operator's word the machine does not come back
};

/// Takes the member of a control plane out of etcd that has left already, or whose machine is dead.
///
/// etcd itself removes whatever it is asked to. So the call goes out only while the other voters
/// are a healthy majority now and after the removal, all of them list the same members, the member
/// is the one that bears the node's name in this very look, and nothing answers as that node.
class ForgetMember final : public ClusterPhase {
 public:
  explicit ForgetMember(ForgetPlan plan) : plan_(std::move(plan)) {}

  std::string_view name() const override { return "forget-member"; }
  Reads reads() const override { return {.status = true, .etcd_health = true}; }
  Duration budget(const Budgets& budgets) const override { return budgets.etcd; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;

 private:
  ForgetPlan plan_;
};

}  // namespace ichor
