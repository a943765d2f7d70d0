#pragma once

#include "async/context.h"
#include "async/task.h"
#include "model/sighting.h"
#include "port/talos_api.h"

namespace ichor {

/// How much is asked of a machine that may be asked.
enum class ProbeDepth { identity, facts };

struct ProbeOptions {
  Duration connect{};    // for the TCP connection
  Duration handshake{};  // and then for TLS
  Duration call{};       // and then for each question
  ProbeDepth depth{ProbeDepth::identity};
};

/// Looks at one address: a TCP connection and one TLS handshake. Nothing above TLS is sent to
/// anything that is not a machine in maintenance mode or one of this cluster, and those are only
/// read. Bodies: talos/ (sockets), sim/ (in process).
class Scout {
 public:
  virtual ~Scout() = default;
  /// Never fails: what could not be found out is in the sighting. PeerKind::other with `trouble` is
  /// a server that did not finish the handshake in time, so another look may tell more.
  virtual Task<Sighting> probe(Context context, IpAddress address, ProbeOptions options) = 0;
};

/// Reads into `seen` what the machine at the other end says of itself. What it does not serve stays
/// empty; a call that is lost ends the reading and is the sighting's trouble.
Task<void> read_machine(Context context, TalosSession& session, ProbeOptions options,
                        Sighting& seen);

}  // namespace ichor
