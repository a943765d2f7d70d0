#pragma once

#include "base/time.h"
#include "model/ids.h"
#include "port/tcp_probe.h"

namespace ichor {

/// Tries to connect and hangs up at once; sends no byte. Blocks for `limit` at the most.
PortAnswer probe_tcp(const IpAddress& address, int port, Duration limit);

}  // namespace ichor
