#pragma once

#include <vector>

#include "lint/rules.h"

namespace ichor {

/// C7: q35, OVMF, VirtIO SCSI, no ballooning, the guest agent with its extension, and VLAN tags at
/// one place only.
void lint_proxmox(const LintInput& input, std::vector<Finding>& findings);

}  // namespace ichor
