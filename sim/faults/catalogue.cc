#include "sim/faults/catalogue.h"

#include <algorithm>

namespace ichor::sim {

bool Recovery::names(std::string_view finding) const {
  std::string_view rest = verdicts;
  while (!rest.empty()) {
    const std::string_view row = rest.substr(0, rest.find(' '));
    if (row == finding) return true;
    rest.remove_prefix(std::min(rest.size(), row.size() + 1));
  }
  return false;
}

const std::vector<FaultClass>& fault_catalogue() {
  static const std::vector<FaultClass> catalogue = {
#define ICHOR_FAULT(name, row, recovery, summary, make) {name, row, recovery, summary, make},
#include "sim/faults/catalogue.inc"
#undef ICHOR_FAULT
#define ICHOR_FAULT(name, row, recovery, summary, make) {name, row, recovery, summary, make, true},
#include "sim/faults/kube_catalogue.inc"
#undef ICHOR_FAULT
#define ICHOR_FAULT(name, row, recovery, summary, make) \
  {name, row, recovery, summary, make, false, true},
#include "sim/faults/provider_catalogue.inc"
#undef ICHOR_FAULT
#define ICHOR_FAULT(name, row, recovery, summary, make) \
  {name, row, recovery, summary, make, false, false, true},
#include "sim/faults/upgrade_catalogue.inc"
#undef ICHOR_FAULT
  };
  return catalogue;
}

}  // namespace ichor::sim
