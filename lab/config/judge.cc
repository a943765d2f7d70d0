#include "lab/config/judge.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "lab/config/config_view.h"
#include "lab/config/disk_choice.h"
#include "machineconfig/canonical.h"
#include "pki/digest.h"
#include "yaml/build.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor::lab {

namespace {

using sim::ConfigFacts;
using sim::ConfigJudgement;
using sim::ConfigVerdict;
using yaml::Node;
using Keys = std::set<std::string_view>;

const Keys kRootKeys = {"version", "debug", "persist", "machine", "cluster"};
const Keys kMachineKeys = {"type",
                           "token",
                           "ca",
                           "acceptedCAs",
                           "certSANs",
                           "controlPlane",
                           "kubelet",
                           "pods",
                           "network",
                           "disks",
                           "install",
                           "files",
                           "env",
                           "time",
                           "sysctls",
                           "sysfs",
                           "registries",
                           "systemDiskEncryption",
                           "features",
                           "udev",
                           "logging",
                           "kernel",
                           "seccompProfiles",
                           "baseRuntimeSpecOverrides",
                           "nodeLabels",
                           "nodeAnnotations",
                           "nodeTaints"};
const Keys kClusterKeys = {"id",
                           "secret",
                           "controlPlane",
                           "clusterName",
                           "network",
                           "token",
                           "aescbcEncryptionSecret",
                           "secretboxEncryptionSecret",
                           "ca",
                           "acceptedCAs",
                           "aggregatorCA",
                           "serviceAccount",
                           "apiServer",
                           "controllerManager",
                           "proxy",
                           "scheduler",
                           "discovery",
                           "etcd",
                           "coreDNS",
                           "externalCloudProvider",
                           "extraManifests",
                           "extraManifestHeaders",
                           "inlineManifests",
                           "adminKubeconfig",
                           "allowSchedulingOnMasters",
                           "allowSchedulingOnControlPlanes"};
const Keys kInstallKeys = {"disk",  "diskSelector",      "extraKernelArgs",
                           "image", "extensions",        "bootloader",
                           "wipe",  "legacyBIOSSupport", "grubUseUKICmdline"};

const Keys kKinds = {"EventSinkConfig",
                     "ExtensionServiceConfig",
                     "KmsgLogConfig",
                     "KubeSpanEndpointsConfig",
                     "NetworkDefaultActionConfig",
                     "NetworkRuleConfig",
                     "SideroLinkConfig",
                     "TrustedRootsConfig",
                     "VolumeConfig",
                     "WatchdogTimerConfig",
                     "EthernetConfig",
                     "PCIDriverRebindConfig",
                     "UserVolumeConfig",
                     "ExistingVolumeConfig",
                     "RawVolumeConfig",
                     "SwapVolumeConfig",
                     "ZswapConfig",
                     "BondConfig",
                     "BridgeConfig",
                     "DHCPv4Config",
                     "DHCPv6Config",
                     "DummyLinkConfig",
                     "HCloudVIPConfig",
                     "HostnameConfig",
                     "Layer2VIPConfig",
                     "LinkAliasConfig",
                     "LinkConfig",
                     "OOMConfig",
                     "RegistryAuthConfig",
                     "RegistryMirrorConfig",
                     "RegistryTLSConfig",
                     "ResolverConfig",
                     "StaticHostConfig",
                     "TimeSyncConfig",
                     "VLANConfig",
                     "WireguardConfig"};
const Keys kNewKinds = {"BlackholeRouteConfig",    "EnvironmentConfig", "ExternalVolumeConfig",
                        "ImageVerificationConfig", "KubeSpanConfig",    "RoutingRuleConfig",
                        "TCPProbeConfig",          "VRFConfig"};

/// Keys of `machine` and `machine.features` that a running node takes without a reboot.
const Keys kLiveMachineKeys = {"ca",
                               "acceptedCAs",
                               "time",
                               "certSANs",
                               "install",
                               "network",
                               "sysfs",
                               "sysctls",
                               "logging",
                               "controlPlane",
                               "kubelet",
                               "kernel",
                               "registries",
                               "pods",
                               "seccompProfiles",
                               "nodeAnnotations",
                               "nodeLabels",
                               "nodeTaints"};
const Keys kLiveFeatures = {"kubernetesTalosAPIAccess", "kubePrism", "hostDNS", "imageCache",
                            "nodeAddressSortAlgorithm"};

std::string text_of(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found == nullptr ? "" : found->text;
}

/// Errors as Talos' library joins them.
std::string join_errors(const std::vector<std::string>& errors) {
  std::string text = errors.size() == 1 ? "1 error occurred:"
                                        : std::to_string(errors.size()) + " errors occurred:";
  for (const std::string& error : errors) text += "\n\t* " + error;
  return text + "\n\n";
}

void collect_unknown(const Node& node, const Keys& known, yaml::Map& unknown) {
  for (const yaml::Entry& entry : node.entries) {
    if (!known.contains(entry.key.text)) unknown.set(entry.key.text, entry.value);
  }
}

/// The text of the decoder's complaint about keys it does not know; empty if there is none.
std::string unknown_keys(const Node& document) {
  yaml::Map all;
  collect_unknown(document, kRootKeys, all);
  if (const Node* machine = document.find("machine"); machine && machine->is_mapping()) {
    yaml::Map unknown;
    collect_unknown(*machine, kMachineKeys, unknown);
    if (const Node* install = machine->find("install"); install && install->is_mapping()) {
      yaml::Map deeper;
      collect_unknown(*install, kInstallKeys, deeper);
      if (!deeper.empty()) unknown.set("install", deeper);
    }
    if (!unknown.empty()) all.set("machine", unknown);
  }
  if (const Node* cluster = document.find("cluster"); cluster && cluster->is_mapping()) {
    yaml::Map unknown;
    collect_unknown(*cluster, kClusterKeys, unknown);
    if (!unknown.empty()) all.set("cluster", unknown);
  }
  if (all.empty()) return "";
  return "unknown keys found during decoding:\n" + yaml::emit(std::move(all).done());
}

std::string decode_document(const Node& document, bool old) {
  const bool main = std::any_of(kRootKeys.begin(), kRootKeys.end(), [&](std::string_view key) {
    return key != "version" && document.find(key) != nullptr;
  });
  const std::string kind = text_of(document, "kind");
  const std::string version = main ? "v1alpha1" : text_of(document, "apiVersion");
  if (version == "v1alpha1" && kind.empty()) {
    return main ? unknown_keys(document) : "";
  }
  if (kind.empty()) return "missing kind";
  if (version.empty()) return "missing apiVersion";
  if (kKinds.contains(kind) || (!old && kNewKinds.contains(kind))) return "";
  return "\"" + kind + "\" \"" + version + "\": not registered";
}

/// What Talos' loader says about the text; empty if it takes it.
std::string load(const std::string& config, bool old, std::vector<Node>& roots) {
  auto documents = yaml::parse_or_explain(config, "config");
  if (!documents) {
    return "decode error: yaml: line " + std::to_string(documents.error().at.line) + ": " +
           documents.error().what;
  }
  std::set<std::array<std::string, 3>> seen;
  for (yaml::Document& document : *documents) {
    const Node& root = document.root;
    if (root.is_null()) continue;
    const std::string line = std::to_string(root.at.line);
    if (!root.is_mapping()) return "expected a YAML document at line " + line;
    const std::string kind = text_of(root, "kind");
    const std::array<std::string, 3> id = {text_of(root, "apiVersion"),
                                           kind.empty() ? "v1alpha1" : kind, text_of(root, "name")};
    const std::string name = id[0] + "/" + id[1] + "/" + id[2];
    if (!seen.insert(id).second) {
      return "duplicate document " + name + " is not allowed (line " + line + ")";
    }
    if (const std::string why = decode_document(root, old); !why.empty()) {
      return "error decoding document " + name + " (line " + line + "): " + why;
    }
    roots.push_back(std::move(document.root));
  }
  return roots.empty() ? "config not found" : "";
}

std::vector<std::string> validate_cluster(const ConfigView& view) {
  if (!view.has_cluster) return {"cluster instructions are required"};
  if (view.endpoint.empty()) return {"cluster controlplane endpoint is required"};
  return {};
}

std::vector<std::string> validate_authority(const ConfigView& view) {
  const bool has_ca = !view.os_ca.certificate.empty();
  std::vector<std::string> errors;
  if (!has_ca && view.accepted_cas.empty()) {
    errors.push_back(
        "issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)");
  }
  if (view.control_plane()) {
    if (!has_ca) {
      errors.push_back("issuing CA is required (.machine.ca)");
    } else if (view.os_ca.key.empty()) {
      errors.push_back("issuing CA key is required for controlplane nodes (.machine.ca.key)");
    }
  } else if (view.machine_type == "worker" || view.machine_type == "join") {
    if (!view.os_ca.key.empty()) {
      errors.push_back(
          "issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)");
    }
    if (!view.kubernetes_ca.key.empty()) {
      errors.push_back(
          "issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)");
    }
  } else {
    errors.push_back("unknown machine type \"" + view.machine_type + "\"");
  }
  return errors;
}

std::vector<std::string> validate(const ConfigView& view, const sim::NodeSpec& node) {
  std::vector<std::string> errors = validate_cluster(view);
  if (node.platform == sim::Platform::metal) {
    if (!view.has_install) {
      errors.push_back("install instructions are required in \"metal\" mode");
    } else if (view.install_disk.empty() && !view.has_disk_selector) {
      errors.push_back("either install disk or diskSelector should be defined");
    }
  }
  for (std::string& error : validate_authority(view)) errors.push_back(std::move(error));
  return errors;
}

/// Conflicts between documents, which Talos finds after each was judged by itself.
std::vector<std::string> conflicts(const std::vector<Node>& roots) {
  std::string old_hostname;
  for (const Node& root : roots) {
    if (root.find("kind") != nullptr) continue;
    if (const Node* name = root.find_path({"machine", "network", "hostname"})) {
      old_hostname = name->text;
    }
  }
  std::vector<std::string> errors;
  for (const Node& root : roots) {
    if (text_of(root, "kind") != "HostnameConfig") continue;
    if (!text_of(root, "hostname").empty() && text_of(root, "auto") == "stable") {
      errors.push_back("HostnameConfig: 'auto' and 'hostname' cannot be set at the same time");
    }
    if (!old_hostname.empty()) {
      errors.push_back("static hostname is already set in v1alpha1 config");
    }
  }
  return errors;
}

Node without(const Node& node, const Keys& keys) {
  Node rest = node;
  std::erase_if(rest.entries,
                [&](const yaml::Entry& entry) { return keys.contains(entry.key.text); });
  return rest;
}

Digest needs_reboot(const std::vector<Node>& roots) {
  std::vector<Node> kept;
  for (const Node& root : roots) {
    const Node* machine = root.find("machine");
    if (root.find("kind") != nullptr || machine == nullptr) continue;
    Node rest = without(*machine, kLiveMachineKeys);
    for (yaml::Entry& entry : rest.entries) {
      if (entry.key.text == "features") entry.value = without(entry.value, kLiveFeatures);
    }
    kept.push_back(std::move(rest));
  }
  return canonical_digest(kept);
}

ConfigFacts facts_of(const ConfigView& view, const std::vector<Node>& roots) {
  ConfigFacts facts;
  facts.complete = view.complete;
  facts.role = view.control_plane() ? Role::control_plane : Role::worker;
  facts.hostname = NodeName(view.hostname);
  facts.static_address = IpAddress(view.address);
  facts.install_disk = view.install_disk;
  facts.cluster_name = view.cluster_name;
  facts.endpoint = view.endpoint;
  facts.os_ca = pki::sha256(view.os_ca.certificate);
  facts.secrets = pki::sha256(view.cluster_id + "\n" + view.cluster_secret + "\n" + view.token);
  facts.cni_none = view.cni == "none";
  facts.canonical = canonical_digest(roots);
  facts.needs_reboot = needs_reboot(roots);
  return facts;
}

ConfigJudgement look(const std::string& config, const sim::NodeSpec& node, bool in_maintenance) {
  const bool old = node.personality == sim::Personality::v1_12;
  const bool prefixed = old && in_maintenance;
  std::vector<Node> roots;
  if (const std::string why = load(config, old, roots); !why.empty()) {
    // The maintenance server of 1.12 does not give its loader's errors a code.
    return prefixed ? tl::unexpected(ConfigVerdict{Code::unknown, "failed to parse config: " + why})
                    : tl::unexpected(ConfigVerdict{Code::invalid_argument, why});
  }
  const auto invalid = [&](const char* prefix, const std::vector<std::string>& errors) {
    return tl::unexpected(
        ConfigVerdict{Code::invalid_argument, (prefixed ? prefix : "") + join_errors(errors)});
  };
  const ConfigView view = view_config(roots);
  std::vector<std::string> errors;
  if (view.complete) {
    if (const auto own = validate(view, node); !own.empty()) {
      errors.push_back("v1alpha1.Config: " + join_errors(own));
    }
  }
  for (std::string& conflict : conflicts(roots)) errors.push_back(std::move(conflict));
  if (!errors.empty()) return invalid("configuration validation failed: ", errors);

  ConfigFacts facts = facts_of(view, roots);
  if (view.has_disk_selector && node.platform == sim::Platform::metal) {
    const auto choice = choose_disk(view.disk_selector, node.disks);
    std::string why;
    if (!choice) {
      why = "install disk selector is invalid: " + choice.error().message;
    } else if (!choice->dev_path) {
      why = "no disks matched the expression: " + choice->expression;
    } else {
      facts.install_disk = *choice->dev_path;
    }
    if (!why.empty()) {
      return invalid("runtime configuration validation failed: ",
                     {"v1alpha1.Config: " + join_errors({why})});
    }
  }
  return facts;
}

}  // namespace

const ConfigJudgement& TalosJudge::judge(const std::string& config, const sim::NodeSpec& node,
                                         bool in_maintenance) {
  // Disks make the verdict the node's own.
  const std::string key = node.name.value() + (in_maintenance ? "\n1\n" : "\n0\n") + config;
  std::unique_ptr<ConfigJudgement>& judgement = known_[key];
  if (!judgement) {
    judgement = std::make_unique<ConfigJudgement>(look(config, node, in_maintenance));
  }
  return *judgement;
}

}  // namespace ichor::lab
