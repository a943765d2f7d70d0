#pragma once

#include <string>
#include <vector>

#include "command/desk.h"
#include "command/early.h"
#include "machineconfig/patch/patch.h"

namespace ichor {

/// Reads patches as they are given on a command line: the patch itself, or @FILE, or a word that
/// can only be the name of a file. `flag` names patches that have no file.
OrEnd<std::vector<Patch>> read_patches(const std::vector<std::string>& given,
                                       const std::string& flag, int minor, Desk& desk);

/// "v1.12", "1.12" or "1.12.6"; an empty text is `otherwise`. Ends with exit 64 for another one.
OrEnd<TalosVersion> read_talos_version(const std::string& text, TalosVersion otherwise);

/// The same findings as warnings: what talosctl does without a word is no error here.
std::vector<Finding> as_warnings(std::vector<Finding> findings);

}  // namespace ichor
