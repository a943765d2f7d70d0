#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// V1: what talosctl validate accepts although it cannot work: subnets, nameservers and addresses
/// that are none, links and VLANs that are there twice, impossible VLAN ids and MTUs, a bond
/// without links, a disk that is not a path, file operations that do not exist, a VIP on a worker.
void lint_unchecked(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
