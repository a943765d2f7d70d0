#pragma once

#include <string>

#include "model/cluster_profile.h"

namespace ichor {

/// The CEL expression that selects a disk by its device, such as "/dev/sda".
std::string disk_expression(const std::string& device);

/// The CEL expression that selects what Talos would select by machine.install.diskSelector: besides
/// what is asked for, no disk without a transport, none that is read-only, and no CD-ROM.
std::string disk_expression(const DiskSelector& selector);

}  // namespace ichor
