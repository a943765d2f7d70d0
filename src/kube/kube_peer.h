#pragma once

#include "kube/kubeconfig.h"
#include "web/http_connection.h"

namespace ichor {

/// The server of a kubeconfig, dialled at `dial_host`.
Result<HttpPeer> peer_of(const KubeAccess& access, const std::string& dial_host);

}  // namespace ichor
