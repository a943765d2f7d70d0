#pragma once

#include "phase/phase.h"

namespace ichor {

/// Which machine is this node? Binds the machine's identity to the node's name in the journal;
/// every later mutation of the node goes to that machine or to none.
class Discover final : public NodePhase {
 public:
  std::string_view name() const override { return "discover"; }
  Reads reads() const override { return {}; }
  Duration budget(const Budgets& budgets) const override { return budgets.discover; }
  Decision decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const override;
};

/// T2: a node that was installed, as the journal says, is in maintenance mode again at this
/// address. Its machine is never taken for a new one.
Finding fallen_back(const NodeName& node, const IpAddress& address, std::string where);

/// The identity is not what the profile declares: which part, or empty.
std::string identity_conflict(const NodePlan& plan, const Identity& identity);

}  // namespace ichor
