#pragma once

#include <string>

#include "base/result.h"

namespace ichor {

/// TMPDIR or /tmp.
std::string temp_root();

/// A new folder of this user's own below TMPDIR or /tmp, mode 0700. It stays until the caller
/// removes it.
Result<std::string> make_temp_dir(const std::string& prefix);

/// Removes such a folder with all that is in it. What cannot be removed stays: it is this user's
/// own and not needed any more.
void remove_temp_dir(const std::string& path);

}  // namespace ichor
