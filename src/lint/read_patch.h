#pragma once

#include <string_view>
#include <vector>

#include "lint/material.h"
#include "model/finding.h"

namespace ichor {

/// Reads the text of a patch, decrypted and rendered. What is not YAML is reported, and the patch
/// then has no documents.
LintPatch read_lint_patch(const PatchFile& file, std::string_view text,
                          std::vector<Finding>& findings);

}  // namespace ichor
