#include "machineconfig/contract.h"

#include <array>
#include <fmt/format.h>

namespace ichor {

namespace {

// Columns: old features, old API server, UKI command line, network documents, empty network,
// KubeSpan document, Kubernetes.
constexpr std::array<Contract, 6> kContracts = {{
    {{1, 8, 0}, true, true, false, false, true, false, ""},
    {{1, 9, 0}, true, true, false, false, true, false, ""},
    {{1, 10, 0}, true, true, false, false, true, false, ""},
    {{1, 11, 0}, true, true, false, false, true, false, ""},
    {{1, 12, 0}, false, false, true, true, true, false, "1.35.2"},
    {{1, 13, 0}, false, false, true, true, false, true, "1.36.3"},
}};

}  // namespace

ReleaseDefaults release_defaults(const Contract& contract) {
  if (contract.version.minor >= 13) return {"1.36.3", "ghcr.io/siderolabs/installer:v1.13.9"};
  return {"1.35.2", "ghcr.io/siderolabs/installer:v1.12.6"};
}

Result<Contract> find_contract(const TalosVersion& version) {
  for (const Contract& contract : kContracts) {
    if (contract.version.major == version.major && contract.version.minor == version.minor) {
      return contract;
    }
  }
  return fail(Errc::invalid, fmt::format("no contract for Talos {}.{}; known are 1.8 to 1.13",
                                         version.major, version.minor));
}

}  // namespace ichor
