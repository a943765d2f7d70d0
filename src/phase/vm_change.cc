#include "phase/vm_change.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor {

namespace {

/// Whether this very machine is the one of a node, and not a copy of it.
bool is_meant(const VmSeen& vm, const ClusterProfile& profile, const ProvisionFacts& facts) {
  if (vm.is_template) return false;
  const NodeName* made = facts.made(vm.place.id);
  if (made && made->value() == vm.name) return true;
  return std::any_of(profile.nodes.begin(), profile.nodes.end(), [&](const NodePlan& node) {
    return node.vmid == vm.place.id && node.name.value() == vm.name;
  });
}

Finding left_alone(const VmSeen& vm, const ClusterProfile& profile) {
  return {Severity::warning,
          "P4",
          {},
          "proxmox",
          fmt::format("{} {} ({}) on {} has the tag {} but is not in the profile: ichor does not "
                      "change it",
                      vm.is_template ? "the template" : "VM", vm.place.id, vm.name, vm.place.host,
                      tag_of(profile)),
          fmt::format("if it is a copy, remove the tag: `qm set {} --tags ''`; if it is unused, "
                      "remove it in Proxmox; if it is a node, add it to the profile with its name "
                      "and `vmid: {}`",
                      vm.place.id, vm.place.id)};
}

}  // namespace

VmSelection select_machines(const ClusterProfile& profile, VmAction action,
                            const ProvisionSight& sight, const ProvisionFacts& facts,
                            const std::vector<NodeName>& nodes) {
  VmSelection selection;
  const auto wanted = [&](const NodeName& name) {
    return nodes.empty() || std::find(nodes.begin(), nodes.end(), name) != nodes.end();
  };
  for (const VmSeen& vm : sight.vms) {
    if (!is_ours(vm, profile) || !wanted(NodeName(vm.name))) continue;
    if (is_meant(vm, profile, facts)) {
      selection.vms.push_back(vm);
    } else {
      selection.findings.push_back(left_alone(vm, profile));
    }
  }
  for (const VmAttempt* attempt : facts.open()) {
    const bool removes = action == VmAction::destroy && attempt->deed == VmDeed::destroy;
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
                                  fmt::format("there is no VM with the VM ID and the name of {} "
                                              "and the tag {}",
                                              node.value(), tag_of(profile)),
                                  "`ichor proxmox list` shows the machines that are ours"});
  }
  return selection;
}

ProvisionStep next_change(const VmPlace& place, VmAction action, const ProvisionSight& sight,
                          const ProvisionFacts& facts, std::int64_t wall_ms) {
  using Kind = ProvisionStep::Kind;
  if (auto left = unfinished_step(place, sight, facts, wall_ms)) return *std::move(left);
  const VmSeen* vm = sight.find(place.id);
  if (!vm) return {};
  if (!vm->lock.empty()) {
    return {Kind::settle, VmDeed::stop, {}, fmt::format("VM {} is locked: {}", place.id, vm->lock)};
  }
  if (action == VmAction::start) {
    return vm->running ? ProvisionStep{} : ProvisionStep{Kind::start, VmDeed::start, {}, {}};
  }
  if (vm->running) return {Kind::stop, VmDeed::stop, {}, {}};
  if (action == VmAction::stop) return {};
  return {Kind::destroy, VmDeed::destroy, {}, {}};
}

}  // namespace ichor
