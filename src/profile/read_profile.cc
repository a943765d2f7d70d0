#include "profile/read_profile.h"

#include <fmt/format.h>

#include "base/address_set.h"
#include "model/talos_release.h"
#include "profile/formats.h"
#include "profile/mapping_reader.h"
#include "profile/read_phases.h"
#include "profile/read_provider.h"
#include "yaml/document.h"

namespace ichor {

namespace {

constexpr std::string_view kIp = "an IP address such as 192.168.22.101";
constexpr std::string_view kCidr = "a network such as 192.168.20.0/22";
constexpr std::string_view kName = "a name of lower-case letters, digits, - and .";

/// Joined as a scan takes them.
void read_scan(MappingReader& network, std::string& scan) {
  std::vector<std::string> parts;
  network.texts("scan", parts, "a network, a range or an address such as 192.168.30.0/24",
                [](std::string& part) { return AddressSet::parse(part).has_value(); });
  for (const std::string& part : parts) scan += (scan.empty() ? "" : ",") + part;
  if (scan.empty() || AddressSet::parse(scan)) return;
  network.report("scan", "profile.value", "network.scan has too many addresses for one scan",
                 "name smaller networks: the largest is a /16");
  scan.clear();
}

void read_network(MappingReader network, NetworkPlan& plan, std::string& scan) {
  network.text("api_endpoint", plan.api_endpoint, Need::required,
               "an endpoint such as https://192.168.22.100:6443", is_endpoint);
  network.text("node_cidr", plan.node_cidr, Need::required, kCidr, is_cidr);
  read_scan(network, scan);
  network.text("gateway", plan.gateway, Need::optional, kIp, is_ip);
  network.text("pod_cidr", plan.pod_cidr, Need::optional, kCidr, is_cidr);
  network.text("service_cidr", plan.service_cidr, Need::optional, kCidr, is_cidr);
  if (const auto vlan = network.whole("vlan", 1, 4094))
    plan.vlan = static_cast<std::uint16_t>(*vlan);
  if (const auto tagger = network.choice("vlan_tagged_by", {"network", "node"})) {
    plan.vlan_tagged_by_node = *tagger == 1;
  }
  network.texts("nameservers", plan.nameservers, kIp, is_ip);
  network.texts("ntp", plan.ntp, "a host name or an IP address",
                [](std::string& host) { return is_host(host); });
  network.text("dns_domain", plan.dns_domain, Need::optional, "a domain such as cluster.local",
               [](std::string& domain) { return is_host(domain); });
  network.finish();
}

void read_version(MappingReader& talos, std::string_view key, Need need, bool minor_only,
                  TalosVersion& target) {
  std::string text;
  talos.text(key, text, need, minor_only ? "a version such as v1.12" : "a version such as v1.12.6",
             [&](std::string& written) {
               const auto version = parse_version(written, minor_only);
               if (version) target = *version;
               return version.has_value();
             });
}

void read_talos(MappingReader talos, TalosPlan& plan, NetworkPlan& network,
                std::string& ready_configs) {
  read_version(talos, "version", Need::required, false, plan.version);
  plan.contract = usual_contract(plan.version);
  const TalosVersion none{0, 0, 0};
  TalosVersion given = none;
  read_version(talos, "contract", Need::optional, true, given);
  plan.contract_given = given != none;
  if (plan.contract_given) plan.contract = given;
  plan.contract.patch = 0;
  talos.text("kubernetes_version", plan.kubernetes_version, Need::optional,
             "a version such as v1.35.2",
             [](std::string& version) { return parse_version(version).has_value(); });
  MappingReader factory = talos.section("factory");
  factory.text("schematic_id", plan.schematic_id, Need::optional, "a schematic ID of 64 hex digits",
               [](std::string& id) { return is_schematic(id); });
  factory.text("schematic", plan.schematic_file);
  if (factory.has("schematic_id") && factory.has("schematic")) {
    factory.report("schematic", "profile.value",
                   "talos.factory has both schematic_id and schematic", "keep one of them");
  }
  factory.finish();
  talos.text("installer_image", plan.installer_image);
  talos.flag("secure_boot", plan.secure_boot);
  MappingReader vip = talos.section("vip");
  vip.text("ip", network.vip, Need::required, kIp, is_ip);
  vip.text("interface", network.vip_interface, Need::optional, "an interface such as eth0",
           [](std::string& name) { return is_interface(name); });
  vip.finish();
  if (const auto cni = talos.choice("cni", {"flannel", "none"})) plan.cni_none = *cni == 1;
  talos.flag("allow_scheduling_on_control_planes", plan.allow_scheduling_on_control_planes);
  talos.text("config_dir", plan.config_dir);
  talos.text("ready_configs", ready_configs);
  talos.text("secrets_file", plan.secrets_file);
  talos.text("patches_dir", plan.patches_dir);
  talos.finish();
}

void read_disk(MappingReader& reader, NodePlan& node) {
  reader.text("disk", node.disk, Need::optional, "a disk such as /dev/sda",
              [](std::string& disk) { return is_disk(disk); });
  MappingReader selector = reader.section("diskSelector");
  DiskSelector& disk = node.disk_selector;
  selector.text("size", disk.size, Need::optional, "a size such as '>= 100GB'",
                [](std::string& size) { return is_disk_size(size); });
  selector.text("model", disk.model);
  selector.text("serial", disk.serial);
  selector.text("modalias", disk.modalias);
  selector.text("uuid", disk.uuid);
  selector.text("wwid", disk.wwid);
  const std::vector<std::string_view> types = {"ssd", "hdd", "nvme", "sd"};
  if (const auto type = selector.choice("type", types)) disk.type = std::string(types[*type]);
  selector.text("busPath", disk.bus_path);
  selector.finish();
  const bool has_disk = reader.has("disk");
  const bool has_selector = reader.has("diskSelector");
  if (!has_disk && !has_selector && reader.there()) {
    reader.report("", "profile.missing",
                  fmt::format("{} has neither disk nor diskSelector", reader.path()),
                  "say which disk to install to: `disk: /dev/sda`");
  } else if (has_disk && has_selector) {
    reader.report("diskSelector", "profile.value",
                  fmt::format("{} has both disk and diskSelector, and Talos takes the selector",
                              reader.path()),
                  "keep one of them");
  }
}

template <class Id>
void read_id(MappingReader& reader, std::string_view key, Id& target, Need need,
             std::string_view meaning, const MappingReader::Accepts& accepts) {
  std::string text;
  reader.text(key, text, need, meaning, accepts);
  if (!text.empty()) target = Id(std::move(text));
}

NodePlan read_node(MappingReader reader, Role role, Trust trust) {
  NodePlan node;
  node.role = role;
  read_id(reader, "name", node.name, Need::required, kName,
          [](std::string& name) { return is_name(name); });
  read_id(reader, "ip", node.address, Need::required, kIp, is_ip);
  node.maintenance_address = node.address;
  read_id(reader, "dhcp_ip", node.maintenance_address, Need::optional, kIp, is_ip);
  read_id(reader, "mac", node.mac, Need::optional, "a MAC address such as 52:54:00:aa:bb:01",
          is_mac);
  read_id(reader, "uuid", node.uuid, Need::optional,
          "a UUID such as 4c4c4544-0042-4b10-8057-b3c04f565331", is_uuid);
  read_id(reader, "serial", node.serial, Need::optional, {}, {});
  if (const auto vmid = reader.whole("vmid", 100, 999'999'999)) {
    node.vmid = static_cast<std::uint32_t>(*vmid);
  }
  read_disk(reader, node);
  reader.text("interface", node.interface, Need::optional, "an interface such as eth0",
              [](std::string& name) { return is_interface(name); });
  reader.text("schematic", node.schematic, Need::optional, "a schematic ID of 64 hex digits",
              [](std::string& id) { return is_schematic(id); });
  reader.text_map("labels", node.labels);
  std::vector<std::string> taints;
  reader.texts("taints", taints, "a taint such as key=value:NoSchedule",
               [](std::string& text) { return parse_taint(text).has_value(); });
  for (const std::string& text : taints) node.taints.push_back(*parse_taint(text));
  reader.texts("patches", node.patches);
  read_id(reader, "pin", node.pin, trust == Trust::pin ? Need::required : Need::optional,
          "a fingerprint as the console shows it, 44 characters of base64",
          [](std::string& pin) { return is_fingerprint(pin); });
  reader.finish();
  return node;
}

void read_role(MappingReader section, Role role, ClusterProfile& profile) {
  std::vector<MappingReader> assignments = section.sections("assignments", Need::required);
  const bool empty = section.has("assignments") && assignments.empty();
  if (empty && role == Role::control_plane) {
    section.report("assignments", "profile.missing", fmt::format("{} has no nodes", section.path()),
                   "list at least one control plane");
  }
  for (MappingReader& reader : assignments) {
    profile.nodes.push_back(read_node(std::move(reader), role, profile.trust));
  }
  section.finish();
}

/// true or false, and whether it was set.
void read_told(MappingReader& reader, std::string_view key, std::optional<bool>& target) {
  bool flag = false;
  reader.flag(key, flag);  // also where it is missing: the schema lists every key
  if (reader.has(key)) target = flag;
}

void read_proxmox(MappingReader proxmox, ProfileReading& reading) {
  if (!proxmox.there()) return;
  ProxmoxPlan plan;
  proxmox.text("machine", plan.machine);
  proxmox.text("bios", plan.bios);
  proxmox.text("scsi_controller", plan.scsi_controller);
  read_told(proxmox, "agent", plan.agent);
  read_told(proxmox, "ballooning", plan.ballooning);
  if (const auto vlan = proxmox.whole("vlan", 1, 4094)) {
    plan.vlan = static_cast<std::uint16_t>(*vlan);
  }
  reading.provider = read_provider(proxmox);
  if (reading.provider) give_numbers(proxmox, *reading.provider, reading.profile.nodes);
  proxmox.finish();
  reading.profile.proxmox = std::move(plan);
}

/// The reader has one text for every missing key; who wants a node by DHCP for good needs a reason.
void explain_missing_ip(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const bool of_node = finding.what.starts_with("nodes.") &&
                         finding.what.find(".assignments[") != std::string::npos;
    if (!of_node || !finding.what.ends_with(".ip is missing")) continue;
    finding.what +=
        ": ichor gives every node a static address, because etcd and certificates do "
        "not follow an address that DHCP changes";
    finding.fix =
        "add `ip:` with a free address outside of the DHCP pool; where the machine boots "
        "by DHCP, ichor finds it by mac, uuid or serial";
  }
}

void read_order(MappingReader order, ClusterProfile& profile) {
  if (const auto workers = order.choice("workers", {"after-api", "with-control-planes"})) {
    profile.worker_order =
        *workers == 1 ? WorkerOrder::with_control_planes : WorkerOrder::after_api;
  }
  if (const auto apply = order.choice("apply", {"parallel", "sequential"})) {
    profile.sequential = *apply == 1;
  }
  if (const auto concurrency = order.whole("concurrency", 1, 10'000)) {
    profile.concurrency = static_cast<int>(*concurrency);
  }
  order.finish();
}

void read_retry(MappingReader retry, RetryLimits& limits) {
  retry.duration("initial", limits.initial);
  retry.number("factor", 1, 10, limits.factor);
  retry.duration("max", limits.max);
  if (const auto retries = retry.whole("retries", 0, 100))
    limits.retries = static_cast<int>(*retries);
  retry.finish();
}

void read_budgets(MappingReader reader, Budgets& budgets) {
  reader.duration("preflight", budgets.preflight);
  reader.duration("discover", budgets.discover);
  reader.duration("apply", budgets.apply);
  reader.duration("bootstrap", budgets.bootstrap);
  reader.duration("etcd", budgets.etcd);
  reader.duration("kubeconfig", budgets.kubeconfig);
  reader.duration("verify", budgets.verify);
  reader.duration("connect", budgets.connect);
  reader.duration("call", budgets.call);
  reader.duration("poll", budgets.poll);
  reader.duration("reset", budgets.reset);
  reader.duration("pull", budgets.pull);
  reader.duration("drain", budgets.drain);
  reader.duration("upgrade", budgets.upgrade);
  reader.duration("stuck", budgets.stuck);
  reader.finish();
}

void read_root(ReadingLog& log, const yaml::Node& root, ProfileReading& reading) {
  ClusterProfile& profile = reading.profile;
  MappingReader reader(log, root, "");
  if (const yaml::Node* variables = reader.mapping("variables")) reading.variables = *variables;
  reader.text("name", profile.name, Need::required, kName,
              [](std::string& name) { return is_name(name); });
  read_network(reader.section("network", Need::required), profile.network, reading.scan);
  read_talos(reader.section("talos", Need::required), profile.talos, profile.network,
             reading.ready_configs);
  // Before the nodes, because it decides whether they need a pin.
  if (const auto trust = reader.choice("trust", {"tofu", "strict", "pin", "insecure"})) {
    profile.trust = static_cast<Trust>(*trust);
  }
  if (profile.trust == Trust::insecure) {
    reader.warn("trust", "profile.trust",
                "trust: insecure sends the config, with the keys of the cluster, to any key that "
                "answers in maintenance mode",
                "write `trust: tofu`, or `pin:` of each node with the fingerprint on its console");
  }
  MappingReader nodes = reader.section("nodes", Need::required);
  read_role(nodes.section("controlplane", Need::required), Role::control_plane, profile);
  read_role(nodes.section("worker"), Role::worker, profile);
  nodes.finish();
  MappingReader providers = reader.section("providers");
  read_proxmox(providers.section("proxmox"), reading);
  providers.finish();
  read_order(reader.section("order"), profile);
  read_retry(reader.section("retry"), profile.retry);
  read_budgets(reader.section("budgets"), profile.budgets);
  profile.kubernetes = read_phases(reader);
  reader.finish();
}

}  // namespace

ProfileReading read_profile(std::string_view text, const std::string& file_name) {
  ProfileReading reading;
  ReadingLog log;
  log.source = ProfileSource(file_name);
  const auto document = yaml::parse_single(text, file_name);
  if (!document) {
    log.add(document.error().at, "profile.syntax", document.error().what,
            "see examples/reference/ichor.yaml for a profile that works");
  } else if (document->root.is_null()) {
    log.add({1, 1}, "profile.syntax", "the file is empty",
            "see examples/reference/ichor.yaml for a profile that works");
  } else {
    read_root(log, document->root, reading);
  }
  reading.findings = log.take();
  explain_missing_ip(reading.findings);
  reading.source = std::move(log.source);
  return reading;
}

std::vector<KeyNote> profile_keys() {
  std::vector<KeyNote> keys;
  ReadingLog log;
  log.notes = &keys;
  yaml::Node empty;
  empty.kind = yaml::Kind::mapping;
  ProfileReading ignored;
  read_root(log, empty, ignored);
  return keys;
}

}  // namespace ichor
