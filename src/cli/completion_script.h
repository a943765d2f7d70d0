#pragma once

#include <string>

#include "cli/request.h"

namespace ichor {

/// A script that teaches `shell` the commands and flags of this very binary.
std::string completion_script(Shell shell);

}  // namespace ichor
