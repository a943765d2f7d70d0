#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/durable_file.h"

namespace ichor::lab {

struct StateFile {
  std::string name;
  std::string content;
};

/// Replaces files one after the other, each whole or not at all, mode 0600, and makes them and
/// their names durable together. A crash in between leaves some prefix of the list replaced. No
/// backups are kept: a disk has no memory of what it held.
Result<void> replace_files(const Folder& folder, const std::vector<StateFile>& files);

/// Names of the regular files that end in `suffix`, sorted.
Result<std::vector<std::string>> list_files(const Folder& folder, const std::string& suffix);

}  // namespace ichor::lab
