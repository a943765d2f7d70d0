#pragma once

#include <string>
#include <vector>

#include "lint/material.h"
#include "machineconfig/patch_texts.h"
#include "port/files.h"
#include "profile/read_profile.h"

namespace ichor {

/// Reads what rules look at beside the profile: its patches, which were read before, its schematic,
/// the variables of its templates. What is not there or cannot be read is a finding. The ID of the
/// schematic goes into the profile.
LintMaterial read_lint_material(ProfileReading& reading, const PatchTexts& patches,
                                const std::string& folder, Files& files,
                                std::vector<Finding>& findings);

}  // namespace ichor
