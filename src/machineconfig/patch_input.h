#pragma once

#include <string>
#include <vector>

#include "machineconfig/contract.h"
#include "machineconfig/patch/patch.h"
#include "model/or_end.h"
#include "port/files.h"

namespace ichor {

/// Reads patches as they are given on a command line: the patch itself, or @FILE, or a word that
/// can only be the name of a file. `flag` names patches that have no file.
OrEnd<std::vector<Patch>> read_patches(const std::vector<std::string>& given,
                                       const std::string& flag, int minor, Files& files);

/// A patch that is not read yet. `name` is its file, or what stands for it in messages.
struct GivenPatch {
  std::string name;
  std::string text;
};

/// The two steps of read_patches().
OrEnd<std::vector<GivenPatch>> read_given_patches(const std::vector<std::string>& given,
                                                  const std::string& flag, Files& files);
OrEnd<std::vector<Patch>> load_given_patches(const std::vector<GivenPatch>& texts, int minor);

/// The minor version whose rules --talos-version selects; `otherwise` if it is not given. For
/// versions that are not known it does as settle_contract().
OrEnd<int> read_rules_version(const std::string& text, int otherwise,
                              std::vector<Finding>& findings);

/// The contract of a version. A version that is younger than all contracts gets the newest one and
/// a warning; ends with exit 64 for another one without a contract.
OrEnd<Contract> settle_contract(const TalosVersion& version, std::vector<Finding>& findings);

/// "v1.12", "1.12" or "1.12.6"; an empty text is `otherwise`. Ends with exit 64 for another one.
OrEnd<TalosVersion> read_talos_version(const std::string& text, TalosVersion otherwise);

/// The same findings as warnings: what talosctl does without a word is no error here.
std::vector<Finding> as_warnings(std::vector<Finding> findings);

}  // namespace ichor
