#pragma once

#include <string>
#include <vector>

#include "model/or_end.h"
#include "port/local_ports.h"
#include "profile/read_profile.h"
#include "secrets/secret_words.h"

namespace ichor {

/// Reads the profile at a path: a file in any format that we know, a folder that holds one called
/// ichor.yaml or talconfig.yaml, or a folder with a file for each node. What was decrypted on the
/// way goes to `secrets`. Ends with exit 64 if there is nothing at that path.
OrEnd<ProfileReading> read_profile_file(const std::string& path, SecretWords& secrets,
                                        LocalPorts& local);

/// The folder that a profile's own paths start from, with a slash at its end; empty if it is the
/// present one.
std::string profile_folder(const std::string& path, LocalPorts& local);

/// All files below a folder, named from there, at most three folders deep: nothing that is looked
/// for lies deeper.
std::vector<std::string> files_below(const std::string& root, LocalPorts& local);

}  // namespace ichor
