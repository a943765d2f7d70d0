#pragma once

#include "model/action.h"
#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/journal_facts.h"
#include "model/node_view.h"

namespace ichor {

/// What the world looks like when all goes well. For plans only: a run believes what it sees.

/// The node after it accepted its config and booted with it.
void forecast_configured(const NodePlan& plan, const MachineConfig& config, NodeView& node);

/// A node that did not answer, as the journal leaves it: configured if it was seen with its config,
/// else in maintenance mode. Nothing of it was seen.
void forecast_unseen(const NodePlan& plan, const MachineConfig& config, const JournalFacts& facts,
                     NodeView& node);

/// The node after it finished booting.
void forecast_running(NodeView& node);

/// The node after its reset: back in maintenance mode.
void forecast_reset(NodeView& node);

/// The database of the node's member has no free space any more.
void forecast_defragmented(NodeView& node);

/// No control plane lists the member any more.
void forecast_member_gone(EtcdMemberId member, ClusterView& view);

/// The control plane is a healthy voter of an etcd of all planned ones.
void forecast_member(const ClusterProfile& profile, NodeView& node);

/// Every control plane that was seen is a healthy voter of one etcd.
void forecast_etcd(const ClusterProfile& profile, ClusterView& view);

/// The cluster after a call of an upgrade did what it is meant to.
void forecast_upgrade(const NodeCall& action, ClusterView& view);

/// The node after it got a config that differs in the images of Kubernetes.
void forecast_kubernetes(const NodeCall& action, NodeView& node);

/// The kubeconfig is there and the API answers through it.
void forecast_api(ClusterView& view);

}  // namespace ichor
