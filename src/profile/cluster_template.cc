#include "profile/cluster_template.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/talos_release.h"
#include "profile/formats.h"
#include "yaml/document.h"

namespace ichor {

namespace {

NodePlan read_node(MappingReader& reader, ClusterProfile& profile, TemplateExtras& extras) {
  NodePlan node;
  std::string text;
  reader.text("name", text, Need::required, "a name of lower-case letters, digits, - and .",
              [](std::string& name) { return is_name(name); });
  node.name = NodeName(text);
  text.clear();
  reader.text("address", text, Need::required, "an IP address such as 192.168.22.101", is_ip);
  node.address = node.maintenance_address = IpAddress(text);
  bool controller = false;
  reader.flag("controller", controller);
  node.role = controller ? Role::control_plane : Role::worker;
  text.clear();
  reader.text("disk", text, Need::required, "a disk such as /dev/sda, or its serial number");
  (text.starts_with('/') ? node.disk : node.disk_selector.serial) = text;
  text.clear();
  reader.text("mac_addr", text, Need::required, "a MAC address such as 52:54:00:aa:bb:01", is_mac);
  node.mac = MacAddress(text);
  reader.text("schematic_id", node.schematic, Need::optional, "a schematic ID of 64 hex digits",
              [](std::string& id) { return is_schematic(id); });
  bool secure_boot = false;
  reader.flag("secureboot", secure_boot);
  profile.talos.secure_boot |= secure_boot;
  TemplateExtras::OfNode& extra = extras.nodes.emplace_back();
  extra.node = node.name;
  reader.flag("encrypt_disk", extra.encrypt_disk);
  extra.mtu = reader.whole("mtu", 1450, 9000);
  reader.texts("kernel_modules", extra.kernel_modules);
  reader.finish();
  return node;
}

std::string quoted(const std::vector<std::string>& texts, std::string_view before,
                   std::string_view after) {
  std::string list;
  for (const std::string& text : texts) {
    std::string doubled;
    for (const char c : text) doubled += c == '\'' ? std::string("''") : std::string(1, c);
    list += fmt::format("{}{}'{}'{}", list.empty() ? "" : ", ", before, doubled, after);
  }
  return list;
}

/// With typed documents the link has an alias, which is the profile's own word for it.
std::string mtu_patch(std::int64_t mtu, const NodePlan& node, const TalosVersion& contract) {
  if (contract.minor >= 12) {
    return fmt::format("{{apiVersion: v1alpha1, kind: LinkConfig, name: net0, mtu: {}}}", mtu);
  }
  return fmt::format(
      "machine: {{network: {{interfaces: [{{deviceSelector: {{hardwareAddr: '{}'}}, mtu: {}}}]}}}}",
      node.mac.value(), mtu);
}

std::string api_sans_patch(const std::string& names, const TalosVersion& contract) {
  if (contract.minor >= 14) {
    return fmt::format("{{apiVersion: v1alpha1, kind: KubeAPIServerConfig, certExtraSANs: [{}]}}",
                       names);
  }
  return fmt::format("cluster: {{apiServer: {{certSANs: [{}]}}}}", names);
}

constexpr std::string_view kEncryption =
    "machine: {systemDiskEncryption: {"
    "ephemeral: {provider: luks2, keys: [{slot: 0, tpm: {}}]}, "
    "state: {provider: luks2, keys: [{slot: 0, tpm: {}}]}}}";

}  // namespace

void add_template_patches(const TemplateExtras& extras, ClusterProfile& profile) {
  for (NodePlan& node : profile.nodes) {
    if (!extras.api_sans.empty() && node.role == Role::control_plane) {
      node.patches.push_back(
          api_sans_patch(quoted(extras.api_sans, "", ""), profile.talos.contract));
    }
    const auto extra =
        std::find_if(extras.nodes.begin(), extras.nodes.end(),
                     [&](const TemplateExtras::OfNode& one) { return one.node == node.name; });
    if (extra == extras.nodes.end()) continue;
    constexpr std::int64_t usual_mtu = 1500;
    if (extra->mtu && *extra->mtu != usual_mtu) {
      node.patches.push_back(mtu_patch(*extra->mtu, node, profile.talos.contract));
    }
    if (extra->encrypt_disk) node.patches.emplace_back(kEncryption);
    if (!extra->kernel_modules.empty()) {
      node.patches.push_back(fmt::format("machine: {{kernel: {{modules: [{}]}}}}",
                                         quoted(extra->kernel_modules, "{name: ", "}")));
    }
  }
}

void read_template_nodes(MappingReader& reader, ClusterProfile& profile, TemplateExtras& extras) {
  for (MappingReader& node : reader.sections("nodes", Need::required)) {
    profile.nodes.push_back(read_node(node, profile, extras));
  }
  std::stable_sort(profile.nodes.begin(), profile.nodes.end(),
                   [](const NodePlan& a, const NodePlan& b) {
                     return a.role == Role::control_plane && b.role == Role::worker;
                   });
}

void settle_template(const std::string& api_address, ClusterProfile& profile) {
  profile.name = "kubernetes";
  profile.network.vip = api_address;
  profile.network.api_endpoint = api_address;
  if (!api_address.empty()) is_endpoint(profile.network.api_endpoint);
  profile.network.vlan_tagged_by_node = profile.network.vlan.has_value();
  profile.talos.cni_none = true;
  profile.talos.allow_scheduling_on_control_planes = true;
}

void read_template_versions(const ReaderInputs& inputs, ReadingLog& log, ClusterProfile& profile) {
  for (const char* name : {"talos/talenv.yaml", "talos/topf.yaml"}) {
    const auto text = inputs.file(name);
    if (!text || !*text) continue;
    const auto document = yaml::parse_single(**text, name);
    if (!document) continue;
    const yaml::Node* talos = document->root.find("talosVersion");
    const yaml::Node* kubernetes = document->root.find("kubernetesVersion");
    const auto version = talos != nullptr ? parse_version(talos->text) : std::nullopt;
    if (!version) continue;
    profile.talos.version = *version;
    profile.talos.contract = usual_contract(*version);
    if (kubernetes != nullptr && parse_version(kubernetes->text)) {
      profile.talos.kubernetes_version = kubernetes->text;
    }
    return;
  }
  log.add({1, 1}, "profile.missing", "nothing says which version of Talos is wanted",
          "add talosVersion and kubernetesVersion to talos/talenv.yaml beside this file");
}

}  // namespace ichor
