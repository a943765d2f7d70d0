#pragma once

#include "model/cluster_profile.h"
#include "model/node_view.h"
#include "port/display.h"

namespace ichor {

/// One row for each control plane and for each member that is none: what its etcd says of itself.
Listing etcd_listing(const ClusterProfile& profile, const ClusterView& seen);

}  // namespace ichor
