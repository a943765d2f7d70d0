#pragma once

#include <string>

#include "command/desk.h"
#include "profile/surroundings.h"

namespace ichor {

/// The environment and the files around a profile. `desk` must outlive it. A file that SOPS
/// encrypted is refused: its values would go into configs as they are.
Surroundings surroundings_of(const std::string& profile, Desk& desk);

}  // namespace ichor
