#include "sim/faults/catalogue.h"

namespace ichor::sim {

const std::vector<FaultClass>& fault_catalogue() {
  static const std::vector<FaultClass> catalogue = {
#define ICHOR_FAULT(name, row, summary, make) {name, row, summary, make},
#include "sim/faults/catalogue.inc"
#undef ICHOR_FAULT
  };
  return catalogue;
}

}  // namespace ichor::sim
