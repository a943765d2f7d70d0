#pragma once

#include "model/call.h"
#include "port/talos_api.h"
#include "talos/handshake_report.h"

namespace ichor {

/// What a handshake means: the peer that a session may be opened with, or why not. Pure, and the
/// only place that turns TLS facts into a TlsVerdict.
CallResult<Peer> judge_handshake(const HandshakeReport& report, const PeerDemand& demand);

}  // namespace ichor
