#include "machineconfig/contract.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "machineconfig/schema.h"

namespace ichor {

namespace {

constexpr Contract::Release kRelease12 = {"1.35.2", "ghcr.io/siderolabs/installer:v1.12.6"};
constexpr Contract::Release kRelease13 = {"1.36.3", "ghcr.io/siderolabs/installer:v1.13.9"};
// Installers are at the Image Factory only; this one is of the schematic without anything in it.
constexpr Contract::Release kRelease14 = {
    "1.37.0",
    "factory.talos.dev/metal-installer/"
    "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.14.1"};

// Columns: old features, old API server, UKI command line, network documents, empty network,
// KubeSpan document, typed documents, standard cluster id, Kubernetes, release.
constexpr std::array<Contract, 7> kContracts = {{
    {{1, 8, 0}, true, true, false, false, true, false, false, false, "", kRelease12},
    {{1, 9, 0}, true, true, false, false, true, false, false, false, "", kRelease12},
    {{1, 10, 0}, true, true, false, false, true, false, false, false, "", kRelease12},
    {{1, 11, 0}, true, true, false, false, true, false, false, false, "", kRelease12},
    {{1, 12, 0}, false, false, true, true, true, false, false, false, "1.35.2", kRelease12},
    {{1, 13, 0}, false, false, true, true, false, true, false, false, "1.36.3", kRelease13},
    {{1, 14, 0}, false, false, true, true, false, true, true, true, "1.37.0", kRelease14},
}};

}  // namespace

Result<Contract> find_contract(const TalosVersion& version) {
  for (const Contract& contract : kContracts) {
    if (contract.version.major == version.major && contract.version.minor == version.minor) {
      return contract;
    }
  }
  const TalosVersion& oldest = kContracts.front().version;
  const TalosVersion& newest = kContracts.back().version;
  return fail(Errc::invalid,
              fmt::format("no contract for Talos {}.{}; known are {}.{} to {}.{}", version.major,
                          version.minor, oldest.major, oldest.minor, newest.major, newest.minor));
}

int patch_minor(const Contract& contract) {
  return std::max(schema::Schema::kUsualMinor, contract.version.minor);
}

const Contract& newest_contract() { return kContracts.back(); }

}  // namespace ichor
