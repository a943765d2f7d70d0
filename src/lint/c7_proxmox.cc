#include "lint/c7_proxmox.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/reporter.h"

namespace ichor {

namespace {

class ProxmoxRule {
 public:
  ProxmoxRule(const LintInput& input, std::vector<Finding>& findings)
      : input_(input), plan_(*input.profile.proxmox), report_(findings) {}

  void run() {
    check_hardware();
    check_agent();
    check_vlan();
  }

 private:
  std::string where(std::string_view key) const {
    return input_.source.where(fmt::format("providers.proxmox.{}", key));
  }

  void check_hardware() {
    if (!plan_.machine.empty() && plan_.machine.find("q35") == std::string::npos) {
      report_.error("proxmox.machine", where("machine"),
                    fmt::format("the machine type is `{}`; UEFI and PCIe need q35", plan_.machine),
                    "write `machine: q35`");
    }
    const bool needs_uefi = input_.profile.talos.secure_boot;
    if (!plan_.bios.empty() && plan_.bios != "ovmf") {
      const std::string what = fmt::format("the firmware is `{}` and not OVMF", plan_.bios);
      if (needs_uefi) {
        report_.error("proxmox.bios", where("bios"), what + ": secure boot needs UEFI",
                      "write `bios: ovmf`");
      } else {
        report_.warning("proxmox.bios", where("bios"), what, "write `bios: ovmf`");
      }
    }
    if (!plan_.scsi_controller.empty() && !plan_.scsi_controller.starts_with("virtio-scsi")) {
      report_.error("proxmox.scsi", where("scsi_controller"),
                    fmt::format("the SCSI controller is `{}`; Talos sees no disk, or one under "
                                "another name",
                                plan_.scsi_controller),
                    "write `scsi_controller: virtio-scsi-single`");
    }
    if (plan_.ballooning.value_or(false)) {
      report_.error("proxmox.ballooning", where("ballooning"),
                    "ballooning is on: Talos does not return memory, and the kubelet counts what "
                    "the machine does not have",
                    "write `ballooning: false`");
    }
  }

  void check_agent() {
    if (!plan_.agent || input_.material.schematic.is_null()) return;
    const yaml::Node* list = input_.material.schematic.find_path(
        {"customization", "systemExtensions", "officialExtensions"});
    const bool extension =
        list != nullptr && std::any_of(list->items.begin(), list->items.end(), [](const auto& x) {
          return x.text == "siderolabs/qemu-guest-agent";
        });
    if (*plan_.agent && !extension) {
      report_.error("proxmox.agent", where("agent"),
                    "the guest agent is on, but the schematic has no siderolabs/qemu-guest-agent: "
                    "Proxmox waits for it at every shutdown",
                    "add the extension to the schematic, or write `agent: false`");
    } else if (!*plan_.agent && extension) {
      report_.warning("proxmox.agent", where("agent"),
                      "the schematic has siderolabs/qemu-guest-agent, but the agent is off: its "
                      "service never starts",
                      "write `agent: true`");
    }
  }

  void check_vlan() {
    const NetworkPlan& network = input_.profile.network;
    if (!plan_.vlan) return;
    if (network.vlan_tagged_by_node) {
      report_.error("proxmox.vlan", where("vlan"),
                    fmt::format("Proxmox tags with {} and the nodes tag again: no frame arrives",
                                *plan_.vlan),
                    "remove `vlan:` here or `vlan_tagged_by: node`");
    } else if (network.vlan && *network.vlan != *plan_.vlan) {
      report_.error(
          "proxmox.vlan", where("vlan"),
          fmt::format("Proxmox tags with {}, but network.vlan is {}", *plan_.vlan, *network.vlan),
          "write the same number at both places");
    }
  }

  const LintInput& input_;
  const ProxmoxPlan& plan_;
  Reporter report_;
};

}  // namespace

namespace {

/// A number of a VM is a mark only where its provider can be asked.
void check_numbers(const LintInput& input, std::vector<Finding>& findings) {
  Reporter report(findings);
  std::size_t counts[] = {0, 0};
  for (const NodePlan& node : input.profile.nodes) {
    const bool worker = node.role == Role::worker;
    const std::string path =
        assignment_path(worker ? "worker" : "controlplane", counts[worker]++) + ".vmid";
    const bool marked =
        !node.mac.value().empty() || !node.uuid.value().empty() || !node.serial.value().empty();
    if (!node.vmid || marked) continue;
    report.warning("proxmox.vmid", input.source.where(path),
                   fmt::format("{} has a vmid and no mac, uuid or serial, and the profile has no "
                               "providers.proxmox: ichor cannot ask which machine VM {} is",
                               node.name.value(), *node.vmid),
                   "add providers.proxmox with url and token, or `mac:` of the VM");
  }
}

}  // namespace

void lint_proxmox(const LintInput& input, std::vector<Finding>& findings) {
  if (!input.profile.proxmox) check_numbers(input, findings);
  if (input.profile.proxmox) ProxmoxRule(input, findings).run();
}

}  // namespace ichor
