#pragma once

#include <memory>

#include "sim/faults/fault.h"

namespace ichor::sim {

#define ICHOR_FAULT(name, row, recovery, summary, make) \
  std::unique_ptr<Fault> make(SeededRandom random);
#include "sim/faults/catalogue.inc"
#include "sim/faults/kube_catalogue.inc"
#include "sim/faults/provider_catalogue.inc"
#include "sim/faults/upgrade_catalogue.inc"
#undef ICHOR_FAULT

}  // namespace ichor::sim
