#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <memory>

#include "lab/kube/api.h"
#include "lab/net/tls_context.h"
#include "os/loop_clock.h"

namespace ichor::lab {

/// Serves HTTP/1.1 on a connected socket until the client leaves. Keeps itself alive; the
/// cluster may vanish while connections are open.
void serve_http(LoopClock& loop, boost::asio::local::stream_protocol::socket socket, Peer peer,
                std::weak_ptr<KubeCluster> cluster);

}  // namespace ichor::lab
