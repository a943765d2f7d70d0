#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace ichor::lab {

/// A folder that a lab has made.
struct LabFolder {
  std::string path;
  bool temporary{false};  // made by `up --lab`, below TMPDIR or /tmp
  bool runs{false};       // a process holds it
  std::int64_t pid{0};    // of that process, if it answers
  std::size_t machines{0};
  std::int64_t changed_ms{0};  // when a machine's disk was written last, by the wall clock
};

/// What the folder is; Errc::invalid if no lab has made it.
Result<LabFolder> look_at_folder(const std::string& path);

/// The labs of this user: temporary ones, and those in and directly below `places`. Sorted by path.
std::vector<LabFolder> find_labs(const std::vector<std::string>& places);

/// Removes the folder with all that a lab and ichor have written there. Refused, and nothing is
/// removed, with Errc::locked while a process holds it, with Errc::invalid if no lab has made it,
/// and with Errc::unsafe if there is anything else in it.
Result<void> remove_folder(const std::string& path);

}  // namespace ichor::lab
