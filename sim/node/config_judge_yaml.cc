#include "sim/node/config_judge_yaml.h"

#include <algorithm>
#include <string_view>

#include "machineconfig/validate/validate.h"
#include "secrets/digest.h"
#include "sim/node/config_validation.h"
#include "sim/node/digest.h"
#include "sim/node/disk_match.h"
#include "sim/node/disk_selector.h"
#include "yaml/emit.h"

namespace ichor::sim {

namespace {

using yaml::Node;

std::string text_at(const Node& root, std::initializer_list<std::string_view> path) {
  const Node* node = root.find_path(path);
  return node == nullptr ? std::string() : std::string(node->as_text().value_or(""));
}

void sort_keys(Node& node) {
  for (Node& item : node.items) sort_keys(item);
  for (yaml::Entry& entry : node.entries) sort_keys(entry.value);
  std::sort(node.entries.begin(), node.entries.end(),
            [](const auto& a, const auto& b) { return a.key.text < b.key.text; });
}

/// A digest that order of keys, style and comments do not change.
Digest canonical_digest(Node root) {
  sort_keys(root);
  return pki::sha256(yaml::emit(root));
}

void drop_keys(Node* mapping, std::initializer_list<std::string_view> keys) {
  if (mapping == nullptr) return;
  std::erase_if(mapping->entries, [&](const yaml::Entry& entry) {
    return std::find(keys.begin(), keys.end(), entry.key.text) != keys.end();
  });
}

Node* find(Node* mapping, std::string_view key) {
  return mapping == nullptr ? nullptr : const_cast<Node*>(mapping->find(key));
}

/// What is left of a v1alpha1 document without the fields that Talos changes on a running node.
Digest reboot_digest(Node root) {
  drop_keys(&root, {"debug", "cluster"});
  Node* machine = find(&root, "machine");
  drop_keys(machine, {"ca", "acceptedCAs", "time", "certSANs", "install", "network", "sysfs",
                      "sysctls", "logging", "controlPlane", "kubelet", "kernel", "registries",
                      "pods", "seccompProfiles", "nodeAnnotations", "nodeLabels", "nodeTaints"});
  drop_keys(find(machine, "features"), {"kubernetesTalosAPIAccess", "kubePrism", "hostDNS",
                                        "imageCache", "nodeAddressSortAlgorithm"});
  return canonical_digest(std::move(root));
}

std::string without_mask(const std::string& address) {
  return address.substr(0, address.find('/'));
}

/// No client reaches a node at the addresses of its lo, such as 169.254.116.108 for the resolver.
bool is_of_node_alone(const std::string& link, const std::string& address) {
  return link == "lo" || address.starts_with("127.") || address.starts_with("169.254.") ||
         address.starts_with("fe80:") || address == "::1";
}

/// The first address that a document gives to a link and that others can reach. DHCP and virtual
/// addresses do not count.
IpAddress static_address_in(const ConfigDocument& document) {
  if (document.kind == "v1alpha1") {
    const Node* links = document.root.find_path({"machine", "network", "interfaces"});
    if (links == nullptr) return {};
    for (const Node& link : links->items) {
      const Node* addresses = link.find("addresses");
      if (addresses == nullptr) continue;
      for (const Node& item : addresses->items) {
        const std::string address = without_mask(item.text);
        if (!is_of_node_alone(text_at(link, {"interface"}), address)) return IpAddress(address);
      }
    }
    return {};
  }
  const Node* addresses = document.root.find("addresses");
  if (addresses == nullptr) return {};
  for (const Node& item : addresses->items) {
    const std::string address = without_mask(text_at(item, {"address"}));
    if (!is_of_node_alone(text_at(document.root, {"name"}), address)) return IpAddress(address);
  }
  return {};
}

std::string install_disk_of(const Node& root, const NodeSpec& node) {
  const Node* selector = root.find_path({"machine", "install", "diskSelector"});
  if (selector == nullptr || selector->is_null())
    return text_at(root, {"machine", "install", "disk"});
  const auto read = DiskSelector::read(*selector);
  const Disk* chosen = read ? read->choose(node.disks) : nullptr;
  return chosen == nullptr ? std::string() : chosen->dev_path;
}

bool flag_at(const Node& root, std::initializer_list<std::string_view> path, bool otherwise) {
  const Node* node = root.find_path(path);
  return node == nullptr ? otherwise : node->as_bool().value_or(otherwise);
}

/// What the typed documents of 1.14 say in place of the v1alpha1 document.
void add_typed_facts(const LoadedConfig& config, const NodeSpec& node, ConfigFacts& facts) {
  bool flannel = false;
  std::string id;
  std::string secret;
  for (const ConfigDocument& document : config.documents) {
    const Node& root = document.root;
    if (document.kind == "UnattendedInstallConfig") {
      const Disk* disk =
          match_disk(text_at(root, {"provisioning", "diskSelector", "match"}), node.disks);
      facts.unattended = true;
      facts.install_disk = disk == nullptr ? "" : disk->dev_path;
      const bool image = !text_at(root, {"installer", "image"}).empty();
      facts.reboots_after_install = flag_at(root, {"reboot"}, image);
    } else if (document.kind == "VolumeConfig" && document.name == "ETCD") {
      const Node* provisioning = root.find("provisioning");
      facts.etcd_volume = provisioning != nullptr && !provisioning->entries.empty();
    } else if (document.kind == "KubeClusterConfig") {
      facts.cluster_name = text_at(root, {"clusterName"});
      facts.endpoint = text_at(root, {"endpoint"});
    } else if (document.kind == "DiscoveryIdentityConfig") {
      id = text_at(root, {"clusterID"});
      secret = text_at(root, {"clusterSecret"});
    } else if (document.kind == "KubeFlannelCNIConfig") {
      flannel = true;
    }
  }
  const Node* root = config.v1alpha1();
  const bool old_network = root->find_path({"cluster", "network"}) != nullptr;
  if (!old_network) facts.cni_none = facts.role == Role::control_plane && !flannel;
  if (!id.empty()) {
    facts.secrets = pki::sha256(id + "\n" + secret + "\n" + text_at(*root, {"cluster", "token"}));
  }
}

ConfigFacts facts_of(const LoadedConfig& config, const NodeSpec& node) {
  ConfigFacts facts;
  std::string canonical;
  for (const ConfigDocument& document : config.documents) {
    canonical += to_hex(canonical_digest(document.root));
    if (facts.static_address.value().empty()) facts.static_address = static_address_in(document);
    if (document.kind == "HostnameConfig") {
      facts.hostname = NodeName(text_at(document.root, {"hostname"}));
    }
  }
  facts.canonical = pki::sha256(canonical);
  const Node* root = config.v1alpha1();
  if (root == nullptr) return facts;
  facts.complete = true;
  facts.role = role_of(*root->find("machine")).value_or(Role::worker);
  if (const std::string name = text_at(*root, {"machine", "network", "hostname"}); !name.empty()) {
    facts.hostname = NodeName(name);
  }
  facts.install_disk = install_disk_of(*root, node);
  facts.cluster_name = text_at(*root, {"cluster", "clusterName"});
  facts.endpoint = text_at(*root, {"cluster", "controlPlane", "endpoint"});
  facts.os_ca = pki::sha256(text_at(*root, {"machine", "ca", "crt"}));
  facts.secrets =
      pki::sha256(text_at(*root, {"cluster", "id"}) + "\n" + text_at(*root, {"cluster", "secret"}) +
                  "\n" + text_at(*root, {"cluster", "token"}));
  facts.cni_none = text_at(*root, {"cluster", "network", "cni", "name"}) == "none";
  facts.needs_reboot = reboot_digest(*root);
  if (node.personality == Personality::v1_14) add_typed_facts(config, node, facts);
  return facts;
}

/// Of 1.14 the model has no rules of its own: the conformance tests hold those of the product
/// against the real talosctl 1.14.1.
std::string trouble_of_typed(const std::string& text, const NodeSpec& node) {
  const bool container = node.platform == Platform::container;
  ValidateOptions options;
  options.mode = container ? RuntimeMode::container : RuntimeMode::metal;
  options.minor = release_of(Personality::v1_14).version.minor;
  std::string trouble;
  for (const ConfigFinding& finding : ichor::validate_config(text, options)) {
    if (finding.severity != Severity::error) continue;
    trouble += (trouble.empty() ? "" : "\n") + finding.what;
  }
  return trouble;
}

ConfigJudgement judge_for(const tl::expected<LoadedConfig, std::string>& loaded,
                          const std::string& text, const NodeSpec& node, bool in_maintenance) {
  const bool old = in_maintenance && node.personality == Personality::v1_12;
  if (!loaded) {
    if (old)
      return tl::unexpected(
          ConfigVerdict{Code::unknown, "failed to parse config: " + loaded.error()});
    return tl::unexpected(ConfigVerdict{Code::invalid_argument, loaded.error()});
  }
  const bool typed = node.personality == Personality::v1_14;
  if (const std::string trouble = typed ? trouble_of_typed(text, node) : ""; !trouble.empty()) {
    return tl::unexpected(ConfigVerdict{Code::invalid_argument, trouble});
  }
  const bool must_install = in_maintenance && node.platform == Platform::metal && !typed;
  const ConfigFindings findings =
      typed ? ConfigFindings() : sim::validate_config(*loaded, node.platform, must_install);
  if (!findings.error.empty()) {
    const std::string prefix = old ? "configuration validation failed: " : "";
    return tl::unexpected(ConfigVerdict{Code::invalid_argument, prefix + findings.error});
  }
  const ConfigFindings on_node = validate_on_node(*loaded, node, must_install);
  if (!on_node.error.empty()) {
    const std::string prefix = old ? "runtime configuration validation failed: " : "";
    return tl::unexpected(ConfigVerdict{Code::invalid_argument, prefix + on_node.error});
  }
  ConfigFacts facts = facts_of(*loaded, node);
  facts.warnings = findings.warnings;
  return facts;
}

std::uint64_t digest_of_disks(const std::vector<Disk>& disks) {
  std::string text;
  for (const Disk& disk : disks) {
    for (const std::string* part : {&disk.id, &disk.dev_path, &disk.model, &disk.serial, &disk.wwid,
                                    &disk.uuid, &disk.modalias, &disk.bus_path, &disk.transport}) {
      text += *part + '\n';
    }
    text += std::to_string(disk.size_bytes) + (disk.rotational ? "r" : "") +
            (disk.read_only ? "o" : "") + (disk.cdrom ? "c" : "") + '\n';
  }
  return head_of(quick_digest(text));
}

}  // namespace

std::size_t YamlJudge::HashOfDigest::operator()(const Digest& digest) const {
  return static_cast<std::size_t>(head_of(digest));
}

const ConfigJudgement& YamlJudge::judge(const std::string& config, const NodeSpec& node,
                                        bool in_maintenance) {
  Digest key = pki::sha256(config);
  // Personalities know different kinds of documents.
  key.bytes[0] ^= static_cast<std::uint8_t>(node.personality);
  auto found = known_.find(key);
  if (found == known_.end()) {
    Known known{load_config(config, node.personality), false, {}};
    const Node* root = known.loaded ? known.loaded->v1alpha1() : nullptr;
    known.selects_disk =
        node.personality == Personality::v1_14 ||
        (root != nullptr && root->find_path({"machine", "install", "diskSelector"}) != nullptr);
    found = known_.emplace(key, std::move(known)).first;
  }
  Known& known = found->second;
  std::uint64_t kind =
      (in_maintenance ? 1u : 0u) | (node.platform == Platform::container ? 2u : 0u);
  if (known.selects_disk) kind ^= digest_of_disks(node.disks) << 2;
  auto& judgement = known.judgements[kind];
  if (!judgement) {
    judgement =
        std::make_unique<ConfigJudgement>(judge_for(known.loaded, config, node, in_maintenance));
  }
  return *judgement;
}

}  // namespace ichor::sim
