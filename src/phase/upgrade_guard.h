#pragma once

#include <optional>

#include "phase/phase.h"
#include "phase/upgrade_plan.h"

namespace ichor {

/// Why etcd is not to be disturbed now: it is not healthy, or its members do not agree on who they
/// are. Nullopt: all is well.
std::optional<Decision> etcd_unsettled(const Wanted& wanted, const ClusterView& view);

/// Why a control plane may not go down now: etcd is unsettled, or no quorum would be left without
/// it. Nullopt: it may.
std::optional<Decision> may_not_go_down(const Wanted& wanted, const ClusterView& view,
                                        const UpgradePlan& plan, const NodeName& node);

/// Until when that answer counts: it is as old as what it was read from.
MonoTime sound_until(const ClusterView& view);

}  // namespace ichor
