#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>

#include "lab/kube/api.h"
#include "lab/net/tls_context.h"
#include "os/loop_clock.h"

namespace ichor::lab {

/// Answers a request, at once or later: `respond` is called at most once, on the loop. An answer
/// with the status 0 closes the connection instead.
using HttpAnswerer =
    std::function<void(const KubeRequest& request, const std::function<void(KubeReply)>& respond)>;

/// Serves HTTP/1.1 on a connected socket until the client leaves. Keeps itself alive; whoever
/// answers may vanish while connections are open, and must know that.
void serve_http(LoopClock& loop, boost::asio::local::stream_protocol::socket socket, Peer peer,
                HttpAnswerer answerer);

}  // namespace ichor::lab
