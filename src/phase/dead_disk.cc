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
      fmt::format("replace the disk or the machine; if etcd has a quorum, take the "
                  "member away first: `talosctl etcd remove-member`; then `ichor "
                  "reset {}` and `ichor up`",
                  name)}};
}

}  // namespace ichor
