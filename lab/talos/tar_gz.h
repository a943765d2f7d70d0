#pragma once

#include <string>
#include <string_view>

#include "base/time.h"

namespace ichor::lab {

/// A tar archive with one file of mode 0600, compressed. Like Talos' own it ends right after the
/// file's bytes: no padding, no blocks of zeros.
std::string tar_gz(std::string_view name, std::string_view content, WallTime modified);

}  // namespace ichor::lab
