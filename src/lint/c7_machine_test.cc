#include "lint/c7_machine.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

VmSeen good() {
  VmSeen vm;
  vm.place = {"pve1", 801};
  vm.name = "cp1";
  vm.config = VmConfig{{{"machine", "pc-q35-9.0"},
                        {"bios", "ovmf"},
                        {"efidisk0", "local-lvm:vm-801-disk-0,efitype=4m,size=4M"},
                        {"scsihw", "virtio-scsi-single"},
                        {"balloon", "0"},
                        {"agent", "1"},
                        {"net0", "virtio=BC:24:11:16:01:01,bridge=vmbr0,tag=22"}}};
  return vm;
}

std::vector<std::string> ids(const VmSeen& vm, const ClusterProfile& profile) {
  std::vector<Finding> findings;
  lint_machine(vm, profile, findings);
  std::vector<std::string> names;
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.where.rfind("VM 801 (cp1): ", 0), 0u);
    names.push_back(finding.id);
  }
  return names;
}

using Ids = std::vector<std::string>;

TEST(C7Machine, AMachineAsTalosNeedsItIsFine) {
  ClusterProfile profile;
  profile.network.vlan = 22;
  EXPECT_EQ(ids(good(), profile), Ids{});
}

TEST(C7Machine, TheDefaultsOfProxmoxAreJudgedToo) {
  VmSeen vm = good();
  vm.config->values = {{"net0", "virtio=BC:24:11:16:01:01,bridge=vmbr0"}};
  EXPECT_EQ(ids(vm, {}), (Ids{"proxmox.machine", "proxmox.bios", "proxmox.scsi",
                              "proxmox.ballooning", "proxmox.agent"}));
}

TEST(C7Machine, SecureBootNeedsATpm) {
  ClusterProfile profile;
  profile.talos.secure_boot = true;
  EXPECT_EQ(ids(good(), profile), Ids{"proxmox.tpm"});
}

TEST(C7Machine, TheTagIsThatOfTheNetwork) {
  ClusterProfile profile;
  profile.network.vlan = 23;
  EXPECT_EQ(ids(good(), profile), Ids{"proxmox.vlan"});
  profile.network.vlan_tagged_by_node = true;
  EXPECT_EQ(ids(good(), profile), Ids{"proxmox.vlan"});
}

}  // namespace
}  // namespace ichor
