#pragma once

#include "model/call.h"
#include "model/sighting.h"
#include "port/talos_api.h"
#include "talos/handshake_report.h"

namespace ichor {

/// What a handshake means: the peer that a session may be opened with, or why not. Pure, and the
/// only place that turns TLS facts into a TlsVerdict.
CallResult<Peer> judge_handshake(const HandshakeReport& report, const PeerDemand& demand);

/// Who that is, for a scan: by the certificate, by ALPN and by whether it asks for a client
/// certificate.
PeerKind kind_of(const HandshakeReport& report);
/// Why it is that kind, for people; empty where the kind says it all.
std::string detail_of(const HandshakeReport& report);

}  // namespace ichor
