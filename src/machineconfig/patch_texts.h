#pragma once

#include <string>
#include <vector>

#include "base/secret.h"
#include "machineconfig/profile_patches.h"
#include "model/finding.h"
#include "port/local_ports.h"
#include "profile/patch_list.h"
#include "profile/read_profile.h"
#include "secrets/secret_words.h"

namespace ichor {

/// A patch that a profile leads to, as a text: decrypted and rendered.
struct PatchText {
  PatchFile file;  // its path as seen from here
  SecretString text;
  /// Of a template with an empty result: what was false, as it was written, and where.
  std::string empty_because{}, empty_where{};
  /// The variables in that condition which are not set.
  std::vector<std::string> unknown{};
};

struct PatchTexts {
  std::vector<PatchText> patches;  // in the order in which they are applied
  SecretWords secrets;             // what must not be shown of them
};

/// Reads the patches that list_patches() names. Files that SOPS encrypted are decrypted, and those
/// whose names end in .j2 are rendered, in this order. `folder` is that of the profile, with a
/// slash at its end. What cannot be read is added to `findings` as an error.
PatchTexts read_patch_texts(const ProfileReading& reading, const std::string& folder,
                            std::vector<Finding>& findings, LocalPorts& local);

/// The same patches, read by the schema of the profile's Talos. Empty ones are left out.
ProfilePatches load_patches(const ClusterProfile& profile, const PatchTexts& texts,
                            std::vector<Finding>& findings);

}  // namespace ichor
