#pragma once

#include "port/pod_ports.h"
#include "web/http_connection.h"

namespace ichor {

/// PodPorts::exchange at an API server. Goes over a WebSocket, with the protocol v4.channel.k8s.io
/// that kubelets and container runtimes of all supported versions speak: every message is one byte
/// for its channel and the data, channel 0 carries the port's bytes, channel 1 the reason of a
/// failure, and both begin with the port's number. One connection per exchange. The loop must run
/// while it is under way; the peer speaks TLS.
Task<CallResult<std::string>> exchange_with_pod(Context context, boost::asio::io_context& io,
                                                HttpPeer peer, PodPort where, std::string message,
                                                std::function<bool(std::string_view)> whole);

}  // namespace ichor
