#include "profile/write_profile.h"

#include <fmt/format.h>
#include <iterator>

#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

/// A value on one line, quoted where YAML needs it.
std::string quoted(const std::string& text) {
  std::string line = yaml::emit(yaml::make_string(text));
  while (line.ends_with('\n')) line.pop_back();
  // Within braces these end a plain value.
  const bool plain = !line.starts_with('"') && !line.starts_with('\'');
  if (plain && line.find_first_of(",[]{}#") != std::string::npos)
    return fmt::format("\"{}\"", line);
  return line;
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string result;
  for (const std::string& text : texts) {
    result += (result.empty() ? "" : ", ") + quoted(text);
  }
  return "[" + result + "]";
}

class Writer {
 public:
  std::string run(const ClusterProfile& profile) {
    line(
        "# A cluster for ichor. `ichor lint` checks this file, `ichor up --lab` tries it out on "
        "simulated");
    line(
        "# nodes, `ichor plan` shows what would be done to the real ones, and `ichor up` does it.");
    line("# Unknown keys are errors; `ichor schema` prints what an editor needs to complete them.");
    line("");
    line("# Name of the cluster, of its talosconfig context and of its state folder.");
    key("name", profile.name);
    line("");
    network(profile.network);
    line("");
    talos(profile.talos, profile.network);
    line("");
    nodes(profile);
    if (profile.proxmox) proxmox(*profile.proxmox);
    return std::move(text_);
  }

 private:
  void line(std::string_view text) { text_ += fmt::format("{}\n", text); }
  /// A key with its value, or as a comment if it has none.
  void key(std::string_view name, const std::string& value, std::string_view example = {}) {
    if (!value.empty()) {
      line(fmt::format("{}: {}", name, quoted(value)));
    } else if (!example.empty()) {
      const std::size_t indent = name.find_first_not_of(' ');
      line(fmt::format("{}# {}: {}", name.substr(0, indent), name.substr(indent), example));
    }
  }
  void flag(std::string_view name, bool value) {
    key(name, value ? "" : "", value ? std::string_view() : "true");
    if (value) line(fmt::format("{}: true", name));
  }

  void network(const NetworkPlan& plan);
  void talos(const TalosPlan& plan, const NetworkPlan& network);
  void nodes(const ClusterProfile& profile);
  void node(const NodePlan& node);
  void proxmox(const ProxmoxPlan& plan);

  std::string text_;
};

void Writer::network(const NetworkPlan& plan) {
  line("network:");
  line("  # Where the Kubernetes API answers; with a VIP (below) this is the VIP.");
  key("  api_endpoint", plan.api_endpoint);
  line("  # The network of the nodes. Gateway, VIP and all nodes have addresses in it.");
  key("  node_cidr", plan.node_cidr, "192.168.20.0/22");
  key("  gateway", plan.gateway, "192.168.23.254");
  line("  # Networks inside the cluster, apart from each other and from node_cidr.");
  key("  pod_cidr", plan.pod_cidr, "10.42.0.0/16");
  key("  service_cidr", plan.service_cidr, "10.43.0.0/16");
  if (!plan.nameservers.empty()) line("  nameservers: " + list_of(plan.nameservers));
  if (!plan.ntp.empty()) line("  ntp: " + list_of(plan.ntp));
  key("  dns_domain", plan.dns_domain);
  if (plan.vlan) line(fmt::format("  vlan: {}", *plan.vlan));
  if (plan.vlan_tagged_by_node) line("  vlan_tagged_by: node");
}

void Writer::talos(const TalosPlan& plan, const NetworkPlan& network) {
  line("talos:");
  key("  version", to_text(plan.version));
  key("  kubernetes_version", plan.kubernetes_version, "v1.35.2");
  line("  # Fixed when the cluster is made, so that configs stay the same while Talos moves on.");
  key("  contract", fmt::format("v{}.{}", plan.contract.major, plan.contract.minor));
  if (!plan.schematic_id.empty() || !plan.schematic_file.empty()) {
    line("  factory:");
    key("    schematic_id", plan.schematic_id);
    key("    schematic", plan.schematic_file);
  }
  key("  installer_image", plan.installer_image);
  flag("  secure_boot", plan.secure_boot);
  if (!network.vip.empty()) {
    line("  # Held by one control plane at a time. Never used for the Talos API.");
    line("  vip:");
    key("    ip", network.vip);
    key("    interface", network.vip_interface, "eth0");
  }
  line(plan.cni_none ? "  cni: none" : "  # cni: none  # you bring your own, such as Cilium");
  flag("  allow_scheduling_on_control_planes", plan.allow_scheduling_on_control_planes);
  key("  secrets_file", plan.secrets_file,
      "secrets.yaml  # default: in the state folder, made on the first run");
  key("  patches_dir", plan.patches_dir,
      "patches  # NODE.yaml for a node, controlplane/ and worker/ for a role, others for all");
  key("  config_dir", plan.config_dir,
      "clusterconfig  # generated configs and the talosconfig are written here");
}

void Writer::node(const NodePlan& node) {
  key("      - name", node.name.value());
  key("        ip", node.address.value());
  if (node.maintenance_address != node.address) {
    key("        dhcp_ip", node.maintenance_address.value());
  }
  key("        mac", node.mac.value());
  key("        uuid", node.uuid.value());
  key("        serial", node.serial.value());
  if (node.vmid) line(fmt::format("        vmid: {}", *node.vmid));
  key("        interface", node.interface);
  const DiskSelector& selector = node.disk_selector;
  if (selector.empty()) {
    // An empty disk is written too, so that the reader says that it is missing.
    line("        disk: " + quoted(node.disk));
  } else {
    line("        diskSelector:");
    key("          size", selector.size);
    key("          model", selector.model);
    key("          serial", selector.serial);
    key("          modalias", selector.modalias);
    key("          uuid", selector.uuid);
    key("          wwid", selector.wwid);
    key("          type", selector.type);
    key("          busPath", selector.bus_path);
  }
  key("        schematic", node.schematic);
  if (!node.labels.empty()) line("        labels:");
  for (const auto& [name, value] : node.labels) {
    line(fmt::format("          {}: {}", quoted(name), quoted(value)));
  }
  std::vector<std::string> taints;
  for (const Taint& taint : node.taints) {
    taints.push_back(fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=",
                                 taint.value, taint.effect));
  }
  if (!taints.empty()) line("        taints: " + list_of(taints));
  if (!node.patches.empty()) line("        patches: " + list_of(node.patches));
  key("        pin", node.pin.value());
}

void Writer::nodes(const ClusterProfile& profile) {
  line(
      "# ip is the static address of a node; dhcp_ip is where it answers before it has its config, "
      "if "
      "that");
  line(
      "# differs. mac, uuid or serial say which machine is meant. Everything on the disk is lost.");
  line("nodes:");
  for (const Role role : {Role::control_plane, Role::worker}) {
    bool first = true;
    for (const NodePlan& one : profile.nodes) {
      if (one.role != role) continue;
      if (first) {
        line(role == Role::control_plane ? "  controlplane:" : "  worker:");
        line("    assignments:");
      }
      first = false;
      node(one);
    }
  }
}

void Writer::proxmox(const ProxmoxPlan& plan) {
  line("");
  line("providers:");
  line("  proxmox:");
  key("    machine", plan.machine);
  key("    bios", plan.bios);
  key("    scsi_controller", plan.scsi_controller);
  if (plan.agent) line(fmt::format("    agent: {}", *plan.agent));
  if (plan.ballooning) line(fmt::format("    ballooning: {}", *plan.ballooning));
  if (plan.vlan) line(fmt::format("    vlan: {}", *plan.vlan));
}

}  // namespace

std::string write_profile(const ClusterProfile& profile) { return Writer().run(profile); }

ClusterProfile starter_profile() {
  ClusterProfile profile;
  profile.name = "mycluster";
  profile.network.api_endpoint = "https://192.168.22.100:6443";
  profile.network.node_cidr = "192.168.20.0/22";
  profile.network.gateway = "192.168.23.254";
  profile.network.pod_cidr = "10.42.0.0/16";
  profile.network.service_cidr = "10.43.0.0/16";
  profile.network.nameservers = {"1.1.1.1", "9.9.9.9"};
  profile.network.ntp = {"time.cloudflare.com"};
  profile.network.vip = "192.168.22.100";
  profile.network.vip_interface = "eth0";
  profile.talos.kubernetes_version = "v1.35.2";
  for (int i = 1; i <= 4; ++i) {
    NodePlan node;
    const bool control_plane = i < 4;
    node.role = control_plane ? Role::control_plane : Role::worker;
    node.name = NodeName(control_plane ? fmt::format("cp{}", i) : "w1");
    node.address = IpAddress(fmt::format("192.168.22.{}", control_plane ? 100 + i : 111));
    node.maintenance_address = node.address;
    node.mac = MacAddress(fmt::format("52:54:00:16:01:{:02}", control_plane ? i : 11));
    node.interface = "eth0";
    node.disk = "/dev/sda";
    profile.nodes.push_back(std::move(node));
  }
  return profile;
}

}  // namespace ichor
