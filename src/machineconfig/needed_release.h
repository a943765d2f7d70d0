#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/node.h"

namespace ichor {

/// The first release of Talos that can read a config, as far as kinds and keys are known.
struct NeededRelease {
  int minor{0};      // of Talos 1.x; 0: nothing in it is younger than the releases we know
  std::string what;  // that is so young: "the document SysctlConfig", "machine.install.x"
};

/// What cannot be read needs no release: that is reported where it is generated.
NeededRelease needed_release(std::string_view config);
NeededRelease needed_release(const std::vector<yaml::Node>& roots);

}  // namespace ichor
