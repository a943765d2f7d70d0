#include "phase/vm_change.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor {

VmSelection select_machines(const ClusterProfile& profile, VmWish wish, const ProvisionSight& sight,
                            const ProvisionFacts& facts, const std::vector<NodeName>& nodes) {
  VmSelection selection;
  const auto wanted = [&](const NodeName& name) {
    return nodes.empty() || std::find(nodes.begin(), nodes.end(), name) != nodes.end();
  };
  for (const VmSeen& vm : sight.vms) {
    if (is_ours(vm, profile) && wanted(NodeName(vm.name))) selection.vms.push_back(vm);
  }
  for (const VmAttempt* attempt : facts.open()) {
    const bool removes = wish == VmWish::destroy && attempt->deed == VmDeed::destroy;
    if (!removes || !wanted(attempt->node) || sight.find(attempt->place.id)) continue;
    VmSeen vm;
    vm.place = attempt->place;
    vm.name = attempt->node.value();
    selection.vms.push_back(std::move(vm));
  }
  for (const NodeName& node : nodes) {
    const bool found = std::any_of(selection.vms.begin(), selection.vms.end(),
                                   [&](const VmSeen& vm) { return vm.name == node.value(); });
    if (found) continue;
    selection.findings.push_back({Severity::error, "P4", node, "proxmox",
                                  fmt::format("there is no VM with the name {} and the tag {}",
                                              node.value(), tag_of(profile)),
                                  "`ichor proxmox list` shows the machines that are ours"});
  }
  return selection;
}

ProvisionStep next_change(const VmPlace& place, VmWish wish, const ProvisionSight& sight,
                          const ProvisionFacts& facts, std::int64_t wall_ms) {
  using Kind = ProvisionStep::Kind;
  if (auto left = unfinished_step(place, sight, facts, wall_ms)) return *std::move(left);
  const VmSeen* vm = sight.find(place.id);
  if (!vm) return {};
  if (!vm->lock.empty()) {
    return {Kind::settle, VmDeed::stop, {}, fmt::format("VM {} is locked: {}", place.id, vm->lock)};
  }
  if (wish == VmWish::start) {
    return vm->running ? ProvisionStep{} : ProvisionStep{Kind::start, VmDeed::start, {}, {}};
  }
  if (vm->running) return {Kind::stop, VmDeed::stop, {}, {}};
  if (wish == VmWish::stop) return {};
  return {Kind::destroy, VmDeed::destroy, {}, {}};
}

}  // namespace ichor
