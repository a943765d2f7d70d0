#pragma once

#include <string>
#include <vector>

#include "command/desk.h"
#include "lint/material.h"
#include "profile/read_profile.h"

namespace ichor {

/// Reads what a profile leads to: its patches, its schematic, the variables of its templates. What
/// cannot be read is a finding. `folder` is the profile's, with a slash at its end. Templates and
/// files that SOPS encrypted are left out.
LintMaterial read_lint_material(const ProfileReading& reading, const std::string& folder,
                                Desk& desk, std::vector<Finding>& findings);

}  // namespace ichor
