#include "machineconfig/gen_config.h"

#include <iterator>

#include "machineconfig/document.h"
#include "machineconfig/kubernetes_documents.h"
#include "machineconfig/v1alpha1.h"

namespace ichor {

namespace {

void add_empty(yaml::Node& root, std::string_view section, std::string_view key, yaml::Node value) {
  for (yaml::Entry& entry : root.entries) {
    if (entry.key.text != section || entry.value.find(key) != nullptr) continue;
    entry.value.entries.push_back({yaml::make_string(key), std::move(value)});
    return;
  }
}

}  // namespace

Result<std::vector<yaml::Node>> role_documents(const Contract& contract, const GenerateInput& input,
                                               const pki::SecretsBundle& secrets) {
  const auto kubernetes = kubernetes_tag(input);
  if (!kubernetes) return forward_error(kubernetes);
  auto main = v1alpha1_document(contract, input, secrets);
  if (!main) return forward_error(main);
  std::vector<yaml::Node> documents;
  documents.push_back(std::move(*main));
  const auto add = [&](std::vector<yaml::Node> more) {
    std::move(more.begin(), more.end(), std::back_inserter(documents));
  };
  if (contract.typed_documents) add(machine_documents(input, secrets));
  add(mirror_documents(contract, input));
  if (!contract.typed_documents) add(kubespan_documents(contract, input));
  if (contract.network_documents) {
    documents.push_back(typed_document("HostnameConfig").set("auto", "stable"));
  }
  if (contract.typed_documents) {
    add(kubespan_documents(contract, input));
    add(kubernetes_documents(input, secrets, *kubernetes));
  }
  return documents;
}

void add_documented_empties(const Contract& contract, Role role, yaml::Node& main) {
  if (contract.typed_documents) return;
  const bool control_plane = role == Role::control_plane;
  if (control_plane) {
    add_empty(main, "cluster", "extraManifests", yaml::list(std::vector<yaml::Node>{}));
    add_empty(main, "cluster", "inlineManifests", yaml::list(std::vector<yaml::Node>{}));
  }
  if (!control_plane || !contract.network_documents) {
    add_empty(main, "machine", "registries", yaml::map());
  }
}

}  // namespace ichor
