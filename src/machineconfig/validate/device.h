#pragma once

#include "machineconfig/validate/report.h"
#include "machineconfig/validate/view.h"

namespace ichor::validate {

// Parts of machine.network.interfaces[]; nothing is said of an absent one.
void check_bond(const View& bond, Report& report);
void check_wireguard(const View& wireguard, Report& report);

}  // namespace ichor::validate
