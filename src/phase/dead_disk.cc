#include "phase/dead_disk.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/install_disk.h"

namespace ichor {

std::optional<Stop> decide_dead_disk(const NodeView& view) {
  if (view.presence != Presence::configured || !view.disks) return std::nullopt;
  const auto dead = std::find_if(view.disks->begin(), view.disks->end(), [](const Disk& disk) {
    return disk.system_disk && disk.read_only;
  });
  if (dead == view.disks->end()) return std::nullopt;
  const std::string& name = view.node.value();
  return Stop{Finding{
      Severity::error, "D11", view.node, "disk",
      fmt::format("{} runs from a disk that can no longer be written: {}", name, to_text(*dead)),
      fmt::format(
          "with a new disk in the same machine: boot it into maintenance mode, then `ichor "
          "reset {0}` and `ichor up`; for another machine: switch this one off for good, then "
          "`ichor node remove {0} --dead` and `ichor up`",
          name)}};
}

}  // namespace ichor
