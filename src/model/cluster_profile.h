#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"
#include "model/node.h"

namespace ichor {

/// Which maintenance key a config is sent to. Neither side can prove itself there, and the config
/// carries CA keys. SECURITY.md says what each level can prove.
enum class Trust {
  tofu,      // the key bound at discovery, or another one with evidence of a reboot
  strict,    // the key bound at discovery, or one that the operator accepts by name
  pin,       // a fingerprint from the profile or the command line
  insecure,  // any key; asked for by name, shown in the report
};

/// machine.install.diskSelector, matched as Talos matches it.
struct DiskSelector {
  std::string size, model, serial, modalias, uuid, wwid, type, bus_path;
  bool empty() const {
    return size.empty() && model.empty() && serial.empty() && modalias.empty() && uuid.empty() &&
           wwid.empty() && type.empty() && bus_path.empty();
  }
};

struct Taint {
  std::string key, value, effect;
};

struct NodePlan {
  NodeName name;
  Role role{Role::worker};
  IpAddress address;              // its final address: the static one of its config
  IpAddress maintenance_address;  // where it is before that (DHCP); equal to `address` if not given
  MacAddress mac;                 // empty: not set
  MachineUuid uuid;
  SerialNumber serial;
  std::optional<std::uint32_t> vmid;
  std::string disk;
  DiskSelector disk_selector;
  std::string interface;
  std::string schematic;
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;
  std::vector<std::string> patches;
  Fingerprint pin;
};

struct NetworkPlan {
  std::string api_endpoint;  // "https://192.168.22.100:6443"
  std::string node_cidr, gateway, pod_cidr, service_cidr;
  std::optional<std::uint16_t> vlan;
  bool vlan_tagged_by_node{
      false};  // else by the hypervisor or the switch, and the node sees no tag
  std::vector<std::string> nameservers, ntp;
  std::string vip, vip_interface;
  std::string dns_domain{"cluster.local"};
};

struct TalosPlan {
  TalosVersion version{1, 12, 6};
  TalosVersion contract{1, 12, 0};
  bool contract_given{false};  // else it is the version's minor, or what the journal remembers
  std::string kubernetes_version;
  std::string schematic_id;
  std::string schematic_file;   // instead of the id: a schematic, from the profile's folder
  std::string installer_image;  // empty: derived from schematic and version
  bool secure_boot{false};
  bool cni_none{false};
  bool allow_scheduling_on_control_planes{false};
  std::string config_dir, secrets_file, patches_dir;
};

/// How the nodes' virtual machines are made, as far as Talos cares. What is not set is not checked.
struct ProxmoxPlan {
  std::string machine;          // "q35"
  std::string bios;             // "ovmf"
  std::string scsi_controller;  // "virtio-scsi-single"
  std::optional<bool> agent;
  std::optional<bool> ballooning;
  std::optional<std::uint16_t> vlan;  // the tag on net0
};

/// When workers get their configs. Together with the control planes is faster and as safe, because
/// a worker without an API server only waits; after the API is what role folders ask for.
enum class WorkerOrder { after_api, with_control_planes };

/// The only delays between attempts. Reads have their own, shorter ones, because they change
/// nothing.
struct RetryLimits {
  Duration initial{std::chrono::seconds(3)};
  double factor{2.0};
  Duration max{std::chrono::seconds(60)};
  int retries{5};
  Duration read_initial{std::chrono::milliseconds(500)};
  Duration read_max{std::chrono::seconds(10)};
};

/// How long each step may take, and each call within it.
struct Budgets {
  Duration preflight{std::chrono::minutes(3)};
  Duration discover{std::chrono::minutes(3)};
  Duration apply{std::chrono::minutes(15)};
  Duration bootstrap{std::chrono::minutes(10)};
  Duration etcd{std::chrono::minutes(20)};
  Duration kubeconfig{std::chrono::minutes(10)};
  Duration verify{std::chrono::minutes(15)};
  Duration connect{std::chrono::seconds(5)};
  Duration call{std::chrono::seconds(10)};
  Duration poll{std::chrono::seconds(5)};
  Duration reset{std::chrono::minutes(10)};
  Duration pull{std::chrono::minutes(10)};     // of an installer image
  Duration drain{std::chrono::minutes(10)};    // of one node
  Duration upgrade{std::chrono::minutes(30)};  // of one node, with drain and reboot
  Duration stuck{std::chrono::minutes(5)};     // in one stage, until ichor says what is unmet
};

struct KubernetesPlan;  // model/kubernetes_plan.h

struct ClusterProfile {
  std::string name;
  NetworkPlan network;
  TalosPlan talos;
  std::optional<ProxmoxPlan> proxmox;
  std::vector<NodePlan> nodes;  // control planes first, in the order of the profile
  Trust trust{Trust::tofu};
  /// With Trust::pin: any of these, instead of each node's own. The profile has none; an operator
  /// says them.
  std::vector<Fingerprint> pins;
  /// Keys that the operator accepts in place of the bound ones: `--accept-key NODE=FINGERPRINT`.
  std::map<NodeName, Fingerprint> accepted_keys;
  WorkerOrder worker_order{WorkerOrder::with_control_planes};
  bool sequential{false};  // apply one node at a time
  int concurrency{64};     // applies at the same time
  RetryLimits retry;
  Budgets budgets;
  /// Disks with data that may be overwritten: the node, and the serial of the disk. One-use words
  /// of an operator, never of a profile.
  std::map<NodeName, std::string> wipe_consents;
  /// What follows the verified nodes; null: nothing.
  std::shared_ptr<const KubernetesPlan> kubernetes;

  const NodePlan* find(const NodeName& name) const;
  /// The level that counts for this node: a pin implies Trust::pin.
  Trust trust_in(const NodePlan& plan) const;
  int control_plane_count() const;
};

}  // namespace ichor
