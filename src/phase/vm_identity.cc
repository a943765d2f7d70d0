#include "phase/vm_identity.h"

#include <algorithm>
#include <fmt/format.h>

#include "secrets/digest.h"

namespace ichor {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

/// "uuid=4c4c…,serial=…" of smbios1; empty if it is not there.
MachineUuid uuid_of(const VmConfig& config) {
  const std::string text = "," + config.get("smbios1");
  const std::size_t at = text.find(",uuid=");
  if (at == text.npos) return {};
  const std::size_t begin = at + 6;
  return MachineUuid(
      lower(text.substr(begin, std::min(text.find(',', begin), text.size()) - begin)));
}

Finding names_derived_mac(const NodePlan& plan, const MacAddress& mac) {
  return {Severity::error,
          "P2",
          plan.name,
          "proxmox",
          fmt::format("VM {} has the MAC {}, and the config of {} selects its network card by {}",
                      plan.vmid.value_or(0), mac.value(), plan.name.value(), plan.mac.value()),
          fmt::format("write `mac: {}` for {} in the profile", mac.value(), plan.name.value())};
}

}  // namespace

std::vector<std::string> macs_of(const VmConfig& config) {
  std::vector<std::string> macs;
  for (const auto& [key, value] : config.values) {
    const bool link = key.starts_with("net") && key.size() > 3 && key[3] >= '0' && key[3] <= '9';
    if (!link) continue;
    const std::size_t equals = value.find('=');
    if (equals != value.npos) macs.push_back(lower(value.substr(equals + 1, 17)));
  }
  return macs;
}

MacAddress derived_mac(const ClusterProfile& profile, const NodeName& node) {
  const Digest seed = pki::sha256(fmt::format("mac\n{}\n{}", profile.name, node.value()));
  return MacAddress(
      fmt::format("bc:24:11:{:02x}:{:02x}:{:02x}", seed.bytes[0], seed.bytes[1], seed.bytes[2]));
}

bool is_unbound(const NodePlan& plan, const JournalFacts& facts) {
  return plan.vmid && !facts.bound(plan.name);
}

namespace {

/// The number alone is not enough: with first_vmid it follows the order of the nodes, and another
/// cluster may have taken it.
bool is_vm_of(const VmSeen& vm, const NodePlan& plan, const ClusterProfile& profile) {
  if (vm.is_template || vm.name != plan.name.value()) return false;
  const bool of_another = std::any_of(vm.tags.begin(), vm.tags.end(),
                                      [](const auto& tag) { return tag.starts_with("ichor-"); });
  return is_ours(vm, profile) || !of_another;
}

}  // namespace

std::vector<Finding> bind_to_vms(ClusterProfile& profile, const ProvisionSight& sight,
                                 const JournalFacts& facts) {
  std::vector<Finding> findings;
  for (NodePlan& plan : profile.nodes) {
    if (plan.mac != derived_mac(profile, plan.name)) continue;
    if (const BoundIdentity* bound = facts.bound(plan.name)) {
      const auto& macs = bound->identity.macs;
      if (std::find(macs.begin(), macs.end(), plan.mac) == macs.end()) plan.mac = {};
      continue;
    }
    const VmSeen* vm = plan.vmid ? sight.find(*plan.vmid) : nullptr;
    if (!vm || !vm->config || !is_vm_of(*vm, plan, profile)) continue;
    const std::vector<std::string> macs = macs_of(*vm->config);
    const bool same = std::find(macs.begin(), macs.end(), plan.mac.value()) != macs.end();
    if (macs.empty() || same) continue;
    const MacAddress mac(macs.front());
    if (plan.interface.empty()) findings.push_back(names_derived_mac(plan, mac));
    plan.mac = mac;
    if (plan.uuid.value().empty()) plan.uuid = uuid_of(*vm->config);
  }
  return findings;
}

}  // namespace ichor
