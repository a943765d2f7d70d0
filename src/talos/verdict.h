#pragma once

#include "model/call.h"
#include "port/talos_api.h"
#include "talos/probe.h"

namespace ichor {

/// What a probe means: the peer that a session may be opened with, or why not. Pure, and the only
/// place that turns TLS facts into a TlsVerdict.
CallResult<Peer> judge_probe(const ProbeReport& report, const PeerDemand& demand);

}  // namespace ichor
