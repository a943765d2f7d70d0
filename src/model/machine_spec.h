#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"

namespace ichor {

/// Where a secret comes from. Exactly one of them is set.
struct SecretSource {
  std::string file;                  // from the profile's folder
  std::string variable;              // of the environment
  std::vector<std::string> command;  // a program and its arguments; what it prints, without the end
  std::string op;                    // "op://VAULT/ITEM/FIELD", read by the program op

  bool empty() const { return file.empty() && variable.empty() && command.empty() && op.empty(); }
};

/// How large the virtual machines of a role are.
struct MachineSize {
  int cores{4};
  std::int64_t memory_mib{8192};
  std::int64_t disk_gib{40};
  std::vector<std::int64_t> more_disks_gib;
};

/// `providers.proxmox` of a profile, as far as virtual machines are made from it: how the API is
/// reached, and what a machine is made of. What Talos cares about is in ProxmoxPlan.
struct ProviderPlan {
  std::string url;  // "https://pve.example.org:8006"
  /// The one of these that is set proves the server. Without both it is the machine's own
  /// authorities; the check itself cannot be switched off.
  std::string ca_file;             // from the profile's folder
  std::string fingerprint;         // SHA-256 of the server's certificate, 64 lower-case hex digits
  SecretSource token;              // "USER@REALM!TOKENID=UUID"
  std::vector<std::string> hosts;  // nodes of Proxmox; machines are spread over them in turn
  std::string pool;
  std::string storage;  // of disks, EFI variables and TPM state
  std::string image;    // volume of the Talos ISO: "local:iso/talos-v1.12.6-nocloud.iso"
  std::string bridge{"vmbr0"};
  std::string cpu{"x86-64-v2-AES"};
  std::vector<std::string> tags;  // besides ichor's own
  bool first_address{false};      // the machine boots at its static address, by nocloud
  bool start_at_boot{true};
  int concurrency{8};                       // creations at the same time
  std::optional<std::uint32_t> first_vmid;  // of nodes that have none of their own
  MachineSize control_plane{2, 4096, 20, {}};
  MachineSize worker{4, 8192, 40, {}};
};

using VmId = std::uint32_t;

/// Where a virtual machine is: a node of the provider's cluster, and its number.
struct VmPlace {
  std::string host;
  VmId id{0};
  auto operator<=>(const VmPlace&) const = default;
};

/// A task of the provider, as it names it itself. Proxmox: a UPID.
using ProviderTaskId = StrongString<struct ProviderTaskIdTag>;

/// A virtual machine that must exist. Plain values; the adapter knows how its provider spells them.
struct VmSpec {
  NodeName node;
  VmPlace place;
  std::string name;
  std::vector<std::string> tags;  // the first one is ours
  std::string description;
  MachineUuid uuid;
  MacAddress mac;
  std::string machine{"q35"};
  std::string bios{"ovmf"};
  std::string scsi_controller{"virtio-scsi-single"};
  std::string cpu;
  int cores{0};
  std::int64_t memory_mib{0};
  bool ballooning{false};
  bool agent{true};
  bool tpm{false};
  bool start_at_boot{true};
  std::string storage;
  std::vector<std::int64_t> disks_gib;
  std::string image;  // volume of the ISO
  std::string bridge;
  std::optional<std::uint16_t> vlan;
  std::string pool;
  /// With these the machine boots at this address, by a nocloud drive. Empty: by DHCP.
  std::string first_cidr;  // "192.168.22.101/22"
  std::string gateway;
  std::vector<std::string> nameservers;
};

/// How a virtual machine is configured, as its provider tells: by the provider's own keys.
struct VmConfig {
  std::map<std::string, std::string> values;  // "net0" -> "virtio=BC:24:11:…,bridge=vmbr0"

  std::string get(const std::string& key) const {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
  }
};

/// A virtual machine that the provider showed. Proxmox hides those that the token may not audit.
struct VmSeen {
  VmPlace place;
  std::string name;
  std::vector<std::string> tags;
  bool running{false};
  bool is_template{false};
  std::string lock;                  // what the provider does with it now; empty: nothing
  std::optional<VmConfig> config{};  // if it was read
};

/// How a task stands.
struct ProviderTask {
  ProviderTaskId id;
  std::string kind;  // "qmcreate"
  VmId vm{0};
  bool running{true};
  bool ok{false};      // it ended well, perhaps with warnings
  std::string result;  // "OK", or the provider's words
  std::int64_t started_s{0};
  bool of_others{false};  // in a list: another user, or another token, started it
};

/// Of a token on one path: what it may do there.
using Privileges = std::vector<std::string>;

struct ProviderVersion {
  int major{0};
  int minor{0};
  std::string text;  // "8.4.1"
};

}  // namespace ichor
