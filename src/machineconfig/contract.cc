#include "machineconfig/contract.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "machineconfig/schema.h"
#include "model/talos_release.h"

namespace ichor {

namespace {

/// What a release changed in the configs that it generates. Columns: the minor version, old
/// features, old API server, UKI command line, network documents, empty network, KubeSpan document,
/// typed documents, standard cluster id.
struct Changed {
  int since_minor;
  Contract contract;
};
constexpr Changed kChanged[] = {
    {8, {{}, true, true, false, false, true, false, false, false, {}, {}}},
    {12, {{}, false, false, true, true, true, false, false, false, {}, {}}},
    {13, {{}, false, false, true, true, false, true, false, false, {}, {}}},
    {14, {{}, false, false, true, true, false, true, true, true, {}, {}}},
};
static_assert(kChanged[0].since_minor == kTalosReleases.front().version.minor);

/// With what the table of releases says. A release that is not known key by key takes what the
/// usual one takes.
constexpr Contract contract_of(const TalosRelease& release) {
  Contract contract;
  for (const Changed& changed : kChanged) {
    if (changed.since_minor <= release.version.minor) contract = changed.contract;
  }
  const TalosRelease& taken = release.installer_image.empty() ? kUsualRelease : release;
  contract.version = release.contract();
  contract.kubernetes_version = release.kubernetes_version;
  contract.release = {taken.kubernetes_version, taken.installer_image};
  return contract;
}

template <std::size_t... At>
constexpr std::array<Contract, sizeof...(At)> contracts_of(std::index_sequence<At...>) {
  return {{contract_of(kTalosReleases[At])...}};
}

constexpr auto kContracts = contracts_of(std::make_index_sequence<kTalosReleases.size()>());

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

const Contract& last_untyped_contract() {
  return *std::find_if(kContracts.rbegin(), kContracts.rend(),
                       [](const Contract& contract) { return !contract.typed_documents; });
}

const Contract& newest_contract() { return kContracts.back(); }

}  // namespace ichor
