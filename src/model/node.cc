#include "model/node.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor {

std::string_view name_of(Role role) {
  return role == Role::control_plane ? "controlplane" : "worker";
}

std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::unknown: return "unknown";
    case Stage::booting: return "booting";
    case Stage::installing: return "installing";
    case Stage::maintenance: return "maintenance";
    case Stage::running: return "running";
    case Stage::rebooting: return "rebooting";
    case Stage::shutting_down: return "shutting down";
    case Stage::resetting: return "resetting";
    case Stage::upgrading: return "upgrading";
  }
  return "unknown";
}

std::string_view name_of(UnattendedInstall::Phase phase) {
  using Phase = UnattendedInstall::Phase;
  switch (phase) {
    case Phase::pending: return "pending";
    case Phase::installing: return "installing";
    case Phase::installed: return "installed";
    case Phase::waiting_for_reboot: return "waiting-for-reboot";
    case Phase::failed: return "failed";
  }
  return "unknown";
}

bool Identity::same_machine(const Identity& other) const {
  const bool both_uuids = !uuid.value().empty() && !other.uuid.value().empty();
  if (both_uuids && uuid != other.uuid) return false;
  const bool mac_in_common = std::any_of(macs.begin(), macs.end(), [&](const MacAddress& mac) {
    return std::find(other.macs.begin(), other.macs.end(), mac) != other.macs.end();
  });
  // A cloned VM keeps its template's UUID but not its MACs, so the UUID alone proves nothing.
  return mac_in_common || (both_uuids && (macs.empty() || other.macs.empty()));
}

std::string to_text(const TalosVersion& version) {
  return fmt::format("v{}.{}.{}", version.major, version.minor, version.patch);
}

}  // namespace ichor
