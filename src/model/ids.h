#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/strong.h"

namespace ichor {

/// A node's name in the profile; also its hostname.
using NodeName = StrongString<struct NodeNameTag>;
/// SMBIOS UUID, lower case. Empty in container mode.
using MachineUuid = StrongString<struct MachineUuidTag>;
/// Chassis serial number as SMBIOS gives it.
using SerialNumber = StrongString<struct SerialNumberTag>;
/// "52:54:00:aa:bb:01", lower case.
using MacAddress = StrongString<struct MacAddressTag>;
/// Changes with every boot of a machine.
using BootId = StrongString<struct BootIdTag>;
/// base64(SHA-256(SubjectPublicKeyInfo)) of a leaf certificate, as Talos prints it on the console.
using Fingerprint = StrongString<struct FingerprintTag>;
/// IPv4 or IPv6 text without port.
using IpAddress = StrongString<struct IpAddressTag>;
/// One run of ichor: 128 random bits as hex, or a counter in the simulator.
using RunId = StrongString<struct RunIdTag>;
using EtcdMemberId = StrongNumber<struct EtcdMemberIdTag>;

/// A SHA-256. Compared far more often than printed, so kept as bytes.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  auto operator<=>(const Digest&) const = default;
  bool empty() const { return *this == Digest{}; }
};

/// 64 lower-case hex digits, and back; from_hex gives an empty digest for anything else.
std::string to_hex(const Digest& digest);
Digest digest_from_hex(std::string_view hex);

}  // namespace ichor
