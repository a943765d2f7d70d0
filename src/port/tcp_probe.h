#pragma once

namespace ichor {

/// What became of the try to connect to a port.
enum class PortAnswer {
  accepted,     // somebody listens
  refused,      // a machine is there, and nobody listens
  silent,       // nobody has the address, or somebody drops what is sent to it
  unreachable,  // there is no way to the network from here, so nothing is known
};

}  // namespace ichor
