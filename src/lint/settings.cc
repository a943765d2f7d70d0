#include "lint/settings.h"

#include <algorithm>
#include <array>

#include "machineconfig/contract.h"
#include "yaml/document.h"

namespace ichor {

namespace {

/// A section of the v1alpha1 document that stands in a document of its own since Talos 1.14.
struct Moved {
  std::array<std::string_view, 3> section;  // shorter ones end with empty names
  std::string_view kind;
  std::string_view key;  // of that document; empty: the section is all of it

  std::size_t length() const {
    const auto end = std::find(section.begin(), section.end(), std::string_view());
    return static_cast<std::size_t>(end - section.begin());
  }
};

constexpr Moved kMoved[] = {
    {{"machine", "kubelet", "extraConfig"}, "KubeletConfig", "config"},
    {{"machine", "kubelet", "extraArgs"}, "KubeletConfig", "extraArgs"},
    {{"machine", "network", "hostname"}, "HostnameConfig", "hostname"},
    {{"machine", "network", "nameservers"}, "ResolverConfig", "nameservers"},
    {{"machine", "features", "hostDNS"}, "ResolverConfig", "hostDNS"},
    {{"cluster", "apiServer", "extraArgs"}, "KubeAPIServerConfig", "extraArgs"},
    {{"cluster", "controlPlane", "endpoint"}, "KubeClusterConfig", "endpoint"},
    {{"cluster", "network", "podSubnets"}, "KubeNetworkConfig", "podSubnets"},
    {{"cluster", "network", "serviceSubnets"}, "KubeNetworkConfig", "serviceSubnets"},
};

/// What a typed document says of a key of the v1alpha1 document; nullptr: nothing.
const yaml::Node* find_moved(const yaml::Node& document, NodeSettings::Path path) {
  const yaml::Node* kind = document.find("kind");
  if (kind == nullptr) return nullptr;
  for (const Moved& moved : kMoved) {
    const std::size_t length = moved.length();
    if (kind->text != moved.kind || path.size() < length) continue;
    if (!std::equal(path.begin(), path.begin() + length, moved.section.begin())) continue;
    const yaml::Node* value = document.find(moved.key);
    for (const std::string_view* key = path.begin() + length; value && key != path.end(); ++key) {
      value = value->find(*key);
    }
    return value;
  }
  return nullptr;
}

}  // namespace

std::string Setting::where(const yaml::Node& below) const {
  return yaml::to_text(patch->file, below.at);
}

bool has_typed_documents(const ClusterProfile& profile) {
  const auto contract = find_contract(profile.talos.contract);
  return contract && contract->typed_documents;
}

bool is_v1alpha1(const yaml::Node& document) {
  return document.is_mapping() && document.find("kind") == nullptr;
}

NodeSettings::NodeSettings(const LintInput& input, const NodePlan& node) {
  for (const LintPatch& patch : input.material.patches) {
    if (patch.scope.covers(node)) patches_.push_back(&patch);
  }
}

std::vector<Setting> NodeSettings::all(Path path) const {
  std::vector<Setting> found;
  for (const LintPatch* patch : patches_) {
    for (const yaml::Node& document : patch->documents) {
      const yaml::Node* value =
          is_v1alpha1(document) ? document.find_path(path) : find_moved(document, path);
      if (value != nullptr) found.push_back({value, patch});
    }
  }
  return found;
}

Setting NodeSettings::last(Path path) const {
  const std::vector<Setting> found = all(path);
  return found.empty() ? Setting{} : found.back();
}

std::vector<Setting> NodeSettings::documents(std::string_view kind) const {
  std::vector<Setting> found;
  for (const LintPatch* patch : patches_) {
    for (const yaml::Node& document : patch->documents) {
      const yaml::Node* written = document.find("kind");
      if (written != nullptr && written->text == kind) found.push_back({&document, patch});
    }
  }
  return found;
}

}  // namespace ichor
