#include "lint/c7_machine.h"

#include <fmt/format.h>

#include "model/reporter.h"

namespace ichor {

namespace {

/// The value of `key` in "virtio=BC:24:…,bridge=vmbr0,tag=22"; empty if it is not there.
std::string option_of(const std::string& options, const std::string& key) {
  std::size_t begin = 0;
  while (begin <= options.size()) {
    const std::size_t end = std::min(options.find(',', begin), options.size());
    const std::string part = options.substr(begin, end - begin);
    if (part.starts_with(key + "=")) return part.substr(key.size() + 1);
    begin = end + 1;
  }
  return {};
}

class MachineRule {
 public:
  MachineRule(const VmSeen& vm, const ClusterProfile& profile, std::vector<Finding>& findings)
      : vm_(vm), config_(*vm.config), profile_(profile), report_(findings) {}

  void run() {
    check_board();
    check_disks();
    check_memory();
    check_network();
    check_agent();
  }

 private:
  std::string where(std::string_view key) const {
    return fmt::format("VM {} ({}): {}", vm_.place.id, vm_.name, key);
  }
  std::string fix(std::string_view option) const {
    return fmt::format("`qm set {} {}` on {}, while the VM is off", vm_.place.id, option,
                       vm_.place.host);
  }

  void check_board() {
    const std::string machine = config_.get("machine");
    if (machine.find("q35") == machine.npos) {
      report_.error("proxmox.machine", where("machine"),
                    fmt::format("the machine type is `{}`; UEFI and PCIe need q35",
                                machine.empty() ? "i440fx" : machine),
                    fix("--machine q35"));
    }
    const bool uefi = config_.get("bios") == "ovmf";
    const std::string what = "the firmware is not OVMF";
    if (!uefi && profile_.talos.secure_boot) {
      report_.error("proxmox.bios", where("bios"), what + ": secure boot needs UEFI",
                    fix("--bios ovmf"));
    } else if (!uefi) {
      report_.warning("proxmox.bios", where("bios"), what, fix("--bios ovmf"));
    }
    if (uefi && config_.get("efidisk0").empty()) {
      report_.error("proxmox.efidisk", where("efidisk0"),
                    "there is no EFI disk: the boot order is lost at every start",
                    fix("--efidisk0 STORAGE:1,efitype=4m,pre-enrolled-keys=0"));
    }
    if (profile_.talos.secure_boot && config_.get("tpmstate0").empty()) {
      report_.error("proxmox.tpm", where("tpmstate0"), "there is no TPM, and secure boot is on",
                    fix("--tpmstate0 STORAGE:1,version=v2.0"));
    }
  }

  void check_disks() {
    const std::string controller = config_.get("scsihw");
    if (!controller.starts_with("virtio-scsi")) {
      report_.error("proxmox.scsi", where("scsihw"),
                    fmt::format("the SCSI controller is `{}`; Talos sees no disk, or one under "
                                "another name",
                                controller.empty() ? "lsi" : controller),
                    fix("--scsihw virtio-scsi-single"));
    }
  }

  void check_memory() {
    // Without the key the device is there, and as large as the memory.
    if (config_.get("balloon") == "0") return;
    report_.error("proxmox.ballooning", where("balloon"),
                  "ballooning is on: Talos does not return memory, and the kubelet counts what "
                  "the machine does not have",
                  fix("--balloon 0"));
  }

  void check_network() {
    const std::string tag = option_of(config_.get("net0"), "tag");
    const NetworkPlan& network = profile_.network;
    if (network.vlan_tagged_by_node && !tag.empty()) {
      report_.error(
          "proxmox.vlan", where("net0"),
          fmt::format("Proxmox tags with {} and the nodes tag again: no frame arrives", tag),
          "remove the tag of net0 or `vlan_tagged_by: node`");
    } else if (network.vlan && !network.vlan_tagged_by_node && !tag.empty() &&
               tag != fmt::to_string(*network.vlan)) {
      report_.error("proxmox.vlan", where("net0"),
                    fmt::format("Proxmox tags with {}, but network.vlan is {}", tag, *network.vlan),
                    "write the same number at both places");
    }
  }

  void check_agent() {
    const bool on = has_agent(config_);
    const bool wanted = !profile_.proxmox || profile_.proxmox->agent.value_or(true);
    if (on == wanted) return;
    report_.warning("proxmox.agent", where("agent"),
                    fmt::format("the guest agent is {}, and the profile has it {}",
                                on ? "on" : "off", wanted ? "on" : "off"),
                    fix(wanted ? "--agent enabled=1" : "--agent enabled=0"));
  }

  const VmSeen& vm_;
  const VmConfig& config_;
  const ClusterProfile& profile_;
  Reporter report_;
};

}  // namespace

bool has_agent(const VmConfig& config) {
  const std::string agent = config.get("agent");
  return agent.starts_with("1") || option_of(agent, "enabled") == "1";
}

void lint_machine(const VmSeen& vm, const ClusterProfile& profile, std::vector<Finding>& findings) {
  if (vm.config) MachineRule(vm, profile, findings).run();
}

}  // namespace ichor
