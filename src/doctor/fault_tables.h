#pragma once

#include <vector>

#include "doctor/fault.h"

namespace ichor {

// One file for each family, in the order of the catalogue.
std::vector<Fault> network_faults();
std::vector<Fault> trust_faults();
std::vector<Fault> machine_faults();
std::vector<Fault> etcd_faults();
std::vector<Fault> api_faults();
std::vector<Fault> local_faults();
std::vector<Fault> config_faults();
std::vector<Fault> kubernetes_faults();
std::vector<Fault> operator_faults();
std::vector<Fault> provider_faults();
std::vector<Fault> upgrade_faults();

std::vector<Invariant> all_invariants();

}  // namespace ichor
