#include "machineconfig/contract.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "machineconfig/schema.h"
#include "model/talos_release.h"

namespace ichor {

namespace {

/// Adds what the table of releases says. A release that is not known key by key takes what the
/// usual one takes.
constexpr Contract of_release(std::size_t at, Contract contract) {
  const TalosRelease& release = kTalosReleases[at];
  const TalosRelease& taken = release.installer_image.empty() ? kUsualRelease : release;
  contract.version = release.contract();
  contract.kubernetes_version = release.kubernetes_version;
  contract.release = {taken.kubernetes_version, taken.installer_image};
  return contract;
}

// Columns: old features, old API server, UKI command line, network documents, empty network,
// KubeSpan document, typed documents, standard cluster id.
constexpr std::array<Contract, kTalosReleases.size()> kContracts = {{
    of_release(0, {{}, true, true, false, false, true, false, false, false, {}, {}}),
    of_release(1, {{}, true, true, false, false, true, false, false, false, {}, {}}),
    of_release(2, {{}, true, true, false, false, true, false, false, false, {}, {}}),
    of_release(3, {{}, true, true, false, false, true, false, false, false, {}, {}}),
    of_release(4, {{}, false, false, true, true, true, false, false, false, {}, {}}),
    of_release(5, {{}, false, false, true, true, false, true, false, false, {}, {}}),
    of_release(6, {{}, false, false, true, true, false, true, true, true, {}, {}}),
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
