#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace ichor {

/// The regular files below a folder, relative to it and sorted. What begins with a dot is left out,
/// and symbolic links to folders are not followed. Errc::invalid if the folder is missing or has
/// more than `count_max` files.
Result<std::vector<std::string>> list_files(const std::string& folder, std::size_t count_max);

/// Whether there is a regular file of this name; what cannot be looked at is not there.
bool has_file(const std::string& path);

}  // namespace ichor
