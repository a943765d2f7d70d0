#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster_profile.h"
#include "model/node.h"

namespace ichor::lab {

/// A disk selector as Talos compiles it: the text of the expression, and the first disk that it
/// matches in the order of their ids.
struct DiskChoice {
  std::string expression;
  std::optional<std::string> dev_path;
};

/// The error is the text that Talos gives for a selector that it cannot compile.
Result<DiskChoice> choose_disk(const DiskSelector& selector, std::vector<Disk> disks);

/// `*` stands for anything, also for nothing; every other character for itself.
bool glob(std::string_view pattern, std::string_view text);

}  // namespace ichor::lab
