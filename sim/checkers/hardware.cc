#include "sim/checkers/hardware.h"

#include <algorithm>

namespace ichor::sim {

bool describes(const Identity& told, const Identity& hardware) {
  if (!told.uuid.value().empty() && told.uuid != hardware.uuid) return false;
  if (!told.serial.value().empty() && told.serial != hardware.serial) return false;
  const bool macs_are_true = std::all_of(told.macs.begin(), told.macs.end(), [&](const auto& mac) {
    return std::find(hardware.macs.begin(), hardware.macs.end(), mac) != hardware.macs.end();
  });
  return macs_are_true && (!told.macs.empty() || !told.uuid.value().empty());
}

}  // namespace ichor::sim
