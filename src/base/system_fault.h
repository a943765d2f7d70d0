#pragma once

#include "base/fault_id.h"

namespace ichor {

/// The row of the fault catalogue that a system call's errno belongs to: a full disk, a failing
/// disk, or no descriptors left. Empty for all others.
FaultId fault_of_errno(int number);

}  // namespace ichor
