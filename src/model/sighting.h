#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.h"
#include "model/ids.h"
#include "model/node.h"

namespace ichor {

/// What is at an address, as one TLS handshake at apid's port tells.
enum class PeerKind {
  nothing,      // no answer, or no way there
  refused,      // a machine is there, and no program listens
  other,        // a program listens that is not Talos
  foreign,      // Talos under the CA of another cluster, or of one that is not known here
  ours,         // Talos under this cluster's CA
  maintenance,  // Talos without a config
};

/// As programs get it: "maintenance".
std::string_view name_of(PeerKind kind);

/// A physical link of a machine.
struct Link {
  std::string name;  // "eth0"
  MacAddress mac;
  bool up{false};  // it has a carrier
};

/// What was seen at one address. Beyond the handshake only machines in maintenance mode and those
/// of this cluster are asked; what one of them does not tell is empty.
struct Sighting {
  IpAddress address;
  PeerKind kind{PeerKind::nothing};
  Fingerprint fingerprint;           // of the certificate; empty where there was none
  std::string detail;                // why it is not Talos, or who issued its certificate
  std::optional<CallError> trouble;  // of a machine that was asked: what it did not answer first
  std::optional<Identity> identity;
  std::optional<MachineStatus> status;
  std::optional<TalosVersion> version;
  std::optional<std::vector<Disk>> disks;
  std::optional<Hardware> hardware;
  std::vector<Link> links;
  std::string schematic;

  bool is_talos() const { return kind >= PeerKind::foreign; }
};

}  // namespace ichor
