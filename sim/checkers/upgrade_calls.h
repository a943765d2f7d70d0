#pragma once

#include "sim/checkers/checker.h"

namespace ichor::sim {

/// Whether the request makes its node reboot: an upgrade through MachineService does, one through
/// the LifecycleService does not.
inline bool takes_down(const Request& request) {
  if (request.node == nullptr) return false;
  if (request.call == Call::reboot) return true;
  const TalosVersion lifecycle{1, 13, 0};
  return request.call == Call::upgrade && version_of(request.node->spec()) < lifecycle;
}

}  // namespace ichor::sim
