#pragma once

#include <memory>

#include "cluster/workspace.h"
#include "port/host.h"
#include "port/node_drain.h"
#include "run/run_target.h"

namespace ichor {

/// What drains the nodes of an open cluster, through the kubeconfig in its state folder, which is
/// read when it is needed. With `reads_only` every change is refused. All must outlive it.
std::unique_ptr<NodeDrain> make_drain(const ProfileInput& input, const RunTarget& target,
                                      Workspace& space, bool reads_only, Host& host);

}  // namespace ichor
