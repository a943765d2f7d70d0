#pragma once

namespace ichor {

/// What became of the try to connect to a port.
enum class PortAnswer {
  accepted,     // a program listens
  refused,      // a machine is there, and no program listens
  silent,       // no machine has the address, or packets to it are dropped
  unreachable,  // there is no way to the network from here, so nothing is known
};

}  // namespace ichor
