#pragma once

#include "cluster/workspace.h"
#include "port/display.h"
#include "port/host.h"

namespace ichor {

/// The client certificate of a kubeconfig with one user, as Talos makes it; empty if there is none.
std::string client_of_kubeconfig(const SecretString& kubeconfig);

/// When the client certificates in the state folder expire: those of its talosconfig and of its
/// kubeconfig. Without rows where there are none.
Listing credential_listing(const std::string& cluster, ClusterState* state, WallTime now);

}  // namespace ichor
