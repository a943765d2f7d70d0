#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/finding.h"
#include "port/files.h"
#include "profile/read_profile.h"

namespace ichor {

/// The schematic that a profile names as a file, as it was written.
struct SchematicInput {
  std::string file;
  yaml::Node root;  // null: there is none
};

/// Where the file is; empty if the profile names none. `folder` is that of the profile, with a
/// slash at its end.
std::string schematic_path(const ClusterProfile& profile, const std::string& folder);

/// Reads it and puts its ID into the profile. What is not a schematic is added to `findings` as an
/// error.
SchematicInput read_schematic_input(ProfileReading& reading, const std::string& folder,
                                    std::vector<Finding>& findings, Files& files);

/// The system extensions that the profile's schematic asks for, by the names that nodes give them:
/// "qemu-guest-agent". Nothing where the profile knows its schematic by the ID alone, which does
/// not tell them.
std::optional<std::vector<std::string>> wanted_extensions(const ClusterProfile& profile,
                                                          const std::string& folder, Files& files);

}  // namespace ichor
