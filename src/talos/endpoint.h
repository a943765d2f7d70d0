#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "model/ids.h"

namespace ichor {

/// Where to dial: an address literal, never a name. What a profile calls an address and where it is
/// dialled differ in the lab only, whose nodes live on loopback addresses.
struct Endpoint {
  std::string host;
  std::uint16_t port{50000};
};

/// "10.5.0.2:50000", "[fd00::2]:50000".
std::string to_text(const Endpoint& endpoint);

/// From the address of the plan to the one that is dialled.
using Route = std::function<Endpoint(const IpAddress&)>;

/// Dials what the plan says, at apid's port.
Endpoint direct_route(const IpAddress& address);

}  // namespace ichor
