#pragma once

#include <array>
#include <string_view>

#include "model/node.h"

namespace ichor {

/// A minor release of Talos, as far as more than one folder must know it. What its configs look
/// like is in machineconfig/contract.cc, how it reads them in machineconfig/rules.cc.
struct TalosRelease {
  TalosVersion version;  // with the patch release that our facts were read from
  /// The minor versions of Kubernetes that it runs.
  int oldest_kubernetes;
  int newest_kubernetes;
  /// What a cluster gets that names no version of Kubernetes; empty: it must name one.
  std::string_view kubernetes_version;
  /// Without schematic; empty: no release of this minor is known key by key.
  std::string_view installer_image;
  std::string_view name;  // as people write it: "1.12"

  constexpr bool is_minor_of(const TalosVersion& other) const {
    return version.major == other.major && version.minor == other.minor;
  }
  constexpr TalosVersion contract() const { return {version.major, version.minor, 0}; }
};

/// The oldest first, without gaps.
inline constexpr std::array<TalosRelease, 7> kTalosReleases = {{
    {{1, 8, 0}, 26, 31, "", "", "1.8"},
    {{1, 9, 0}, 27, 32, "", "", "1.9"},
    {{1, 10, 0}, 28, 33, "", "", "1.10"},
    {{1, 11, 0}, 29, 34, "", "", "1.11"},
    {{1, 12, 6}, 30, 35, "1.35.2", "ghcr.io/siderolabs/installer:v1.12.6", "1.12"},
    {{1, 13, 9}, 31, 36, "1.36.3", "ghcr.io/siderolabs/installer:v1.13.9", "1.13"},
    // Installers are at the Image Factory only; this one is of the schematic without anything in
    // it.
    {{1, 14, 1},
     32,
     37,
     "1.37.0",
     "factory.talos.dev/metal-installer/"
     "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.14.1",
     "1.14"},
}};

/// The release that a version is of; null if it is not known.
constexpr const TalosRelease* find_release(const TalosVersion& version) {
  for (const TalosRelease& release : kTalosReleases) {
    if (release.is_minor_of(version)) return &release;
  }
  return nullptr;
}

/// The contract of a cluster that does not name one: its release's, or the newest that is known.
constexpr TalosVersion usual_contract(const TalosVersion& version) {
  const TalosVersion newest = kTalosReleases.back().contract();
  const TalosVersion own{version.major, version.minor, 0};
  return version.major == newest.major && newest < own ? newest : own;
}

/// What a profile or a command gets that names no version.
inline constexpr const TalosRelease& kUsualRelease = kTalosReleases[4];

}  // namespace ichor
