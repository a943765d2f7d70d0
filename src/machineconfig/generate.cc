#include "machineconfig/generate.h"

#include <fmt/format.h>
#include <iterator>

#include "machineconfig/canonical.h"
#include "machineconfig/contract.h"
#include "machineconfig/installer.h"
#include "machineconfig/kubernetes_documents.h"
#include "machineconfig/network.h"
#include "machineconfig/typed_patch.h"
#include "machineconfig/v1alpha1.h"
#include "secrets/digest.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

Result<GenerateInput> input_of(const Contract& contract, const ClusterProfile& profile,
                               const NodePlan& node) {
  GenerateInput input;
  input.role = node.role;
  input.cluster_name = profile.name;
  input.endpoint = profile.network.api_endpoint;
  input.kubernetes_version = profile.talos.kubernetes_version;
  if (input.kubernetes_version.empty()) input.kubernetes_version = contract.kubernetes_version;
  input.dns_domain = profile.network.dns_domain;
  input.pod_subnet = profile.network.pod_cidr;
  input.service_subnet = profile.network.service_cidr;
  input.node_subnet = profile.network.node_cidr;
  input.install_disk = node.disk;
  input.disk_selector = node.disk_selector;
  input.install_image = installer_image(profile.talos, node);
  input.nameservers = profile.network.nameservers;
  input.labels = node.labels;
  input.taints = node.taints;
  input.cni_none = profile.talos.cni_none;
  input.allow_scheduling_on_control_planes = profile.talos.allow_scheduling_on_control_planes;
  if (contract.network_documents) return input;
  auto network = machine_network(profile, node);
  if (!network) return forward_error(network);
  input.network = std::move(*network);
  input.time = machine_time(profile);
  return input;
}

}  // namespace

Digest plan_digest(const ClusterProfile& profile, const ConfigSet& set) {
  std::string text = fmt::format("{}\n{}\n", profile.name, static_cast<int>(profile.trust));
  for (const NodePlan& node : profile.nodes) {
    const Digest& config = set.nodes.at(node.name).digest;
    text += fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}\n", node.name.value(), name_of(node.role),
                        node.address.value(), node.maintenance_address.value(), node.mac.value(),
                        node.uuid.value(), node.serial.value(), node.pin.value(), to_hex(config));
  }
  return pki::sha256(text);
}

Result<std::vector<yaml::Node>> generate_documents(const ClusterProfile& profile,
                                                   const pki::SecretsBundle& secrets,
                                                   const NodePlan& node,
                                                   const std::vector<Patch>& patches) {
  const auto contract = find_contract(profile.talos.contract);
  if (!contract) return forward_error(contract);
  auto input = input_of(*contract, profile, node);
  if (!input) return forward_error(input);
  const auto kubernetes = kubernetes_tag(*input);
  if (!kubernetes) return forward_error(kubernetes);
  auto main = v1alpha1_document(*contract, *input, secrets);
  if (!main) return forward_error(main);
  std::vector<yaml::Node> documents;
  documents.push_back(std::move(*main));
  const auto add = [&](std::vector<yaml::Node> more) {
    std::move(more.begin(), more.end(), std::back_inserter(documents));
  };
  if (contract->typed_documents) add(machine_documents(*input, secrets));
  if (contract->network_documents) {
    auto network = network_documents(*contract, profile, node);
    if (!network) return forward_error(network);
    add(std::move(*network));
  }
  if (contract->typed_documents) add(kubernetes_documents(*input, secrets, *kubernetes));
  if (patches.empty()) return documents;
  auto patched = apply_to(profile, std::move(documents), patches);
  if (!patched) return forward_error(patched);
  return std::move(patched->documents);
}

Result<PatchedConfig> apply_to(const ClusterProfile& profile, std::vector<yaml::Node> documents,
                               const std::vector<Patch>& patches) {
  const auto contract = find_contract(profile.talos.contract);
  if (!contract || !contract->typed_documents) {
    return apply_patches(std::move(documents), "config", patches, schema_minor(profile));
  }
  auto typed = typed_patches(patches, kinds_of(documents));
  if (!typed) return forward_error(typed);
  return apply_patches(std::move(documents), "config", *typed, schema_minor(profile));
}

Result<MachineConfig> generate(const ClusterProfile& profile, const pki::SecretsBundle& secrets,
                               const NodePlan& node, const std::vector<Patch>& patches) {
  auto documents = generate_documents(profile, secrets, node, patches);
  if (!documents) return forward_error(documents);
  return seal(*std::move(documents), node.role);
}

MachineConfig seal(std::vector<yaml::Node> documents, Role role) {
  MachineConfig config;
  config.bytes = SecretString(yaml::emit_all(documents));
  config.digest = pki::sha256(config.bytes.reveal());
  config.canonical = canonical_digest(documents);
  config.role = role;
  for (yaml::Node& document : documents) yaml::wipe(document);
  return config;
}

void stamp(const ClusterProfile& profile, const pki::SecretsBundle& secrets, ConfigSet& set) {
  set.secrets_fingerprint = pki::fingerprint_of(secrets);
  const TalosVersion& contract = profile.talos.contract;
  set.contract = fmt::format("{}.{}", contract.major, contract.minor);
  set.plan = plan_digest(profile, set);
}

Result<ConfigSet> generate_all(const ClusterProfile& profile, const pki::SecretsBundle& secrets,
                               const ProfilePatches& patches) {
  ConfigSet set;
  for (const NodePlan& node : profile.nodes) {
    const std::vector<Patch> own = patches.of(node);
    // Leaving a patch out silently would give a cluster that the profile does not describe.
    if (own.empty() && !node.patches.empty()) {
      return fail(Errc::invalid, fmt::format("{}: its patches were not read", node.name.value()));
    }
    auto config = generate(profile, secrets, node, own);
    if (!config) {
      return fail(config.error().code,
                  fmt::format("{}: {}", node.name.value(), config.error().message));
    }
    if (!set.nodes.emplace(node.name, std::move(*config)).second) {
      return fail(Errc::invalid, fmt::format("two nodes are called {}", node.name.value()));
    }
  }
  stamp(profile, secrets, set);
  return set;
}

}  // namespace ichor
