#include "machineconfig/kubernetes_images.h"

#include <algorithm>

#include "base/words.h"
#include "machineconfig/generate.h"
#include "yaml/build.h"
#include "yaml/document.h"

namespace ichor {

namespace {

using yaml::Node;

/// Where a component's settings are.
struct Place {
  KubeComponent component;
  std::string_view name;
  std::string_view section, key;  // of the v1alpha1 document
  std::string_view kind;          // of the document of 1.14
};

constexpr Place kPlaces[] = {
    {KubeComponent::api_server, "kube-apiserver", "cluster", "apiServer", "KubeAPIServerConfig"},
    {KubeComponent::controller_manager, "kube-controller-manager", "cluster", "controllerManager",
     "KubeControllerManagerConfig"},
    {KubeComponent::scheduler, "kube-scheduler", "cluster", "scheduler", "KubeSchedulerConfig"},
    {KubeComponent::proxy, "kube-proxy", "cluster", "proxy", "KubeProxyConfig"},
    {KubeComponent::kubelet, "kubelet", "machine", "kubelet", "KubeletConfig"},
};

Node* find(Node& node, std::string_view key) { return const_cast<Node*>(node.find(key)); }

/// The settings of a component in one document; null: it is not about that.
Node* settings_in(Node& document, const Place& place) {
  const Node* kind = document.find("kind");
  if (kind) return kind->text == place.kind ? &document : nullptr;
  Node* section = find(document, place.section);
  Node* settings = section ? find(*section, place.key) : nullptr;
  return settings && settings->is_mapping() ? settings : nullptr;
}

void add_gates(const std::string& text, std::vector<std::string>& gates) {
  for (const std::string& one : split_list(text)) gates.push_back(one.substr(0, one.find('=')));
}

void read_settings(const Node& settings, KubeComponent component, KubernetesSettings& found) {
  const Node* image = settings.find("image");
  if (image && !image->text.empty()) found.images[component] = image->text;
  if (const Node* arguments = settings.find("extraArgs"); arguments && arguments->is_mapping()) {
    for (const yaml::Entry& entry : arguments->entries) {
      found.flags[component].push_back(entry.key.text);
      if (entry.key.text != "feature-gates") continue;
      add_gates(entry.value.text, found.gates[component]);
      for (const Node& item : entry.value.items) add_gates(item.text, found.gates[component]);
    }
  }
  for (const std::string_view key : {"extraConfig", "config"}) {
    const Node* gates = settings.find_path({key, "featureGates"});
    if (!gates) continue;
    for (const yaml::Entry& entry : gates->entries) {
      found.gates[component].push_back(entry.key.text);
    }
  }
  if (component != KubeComponent::proxy) return;
  const Node* disabled = settings.find("disabled");
  const Node* enabled = settings.find("enabled");
  found.proxy_disabled = (disabled && disabled->as_bool().value_or(false)) ||
                         (enabled && !enabled->as_bool().value_or(true));
}

/// All documents of a config, which hold keys.
class Documents {
 public:
  static Result<Documents> read(const SecretString& config) {
    auto parsed = yaml::parse(config.reveal(), "the machine config");
    if (!parsed) return forward_error(parsed);
    Documents documents;
    for (yaml::Document& one : *parsed) documents.roots.push_back(std::move(one.root));
    return documents;
  }
  Documents() = default;
  Documents(Documents&&) = default;
  Documents& operator=(Documents&&) = default;
  ~Documents() {
    for (Node& root : roots) yaml::wipe(root);
  }

  std::vector<Node> roots;
};

}  // namespace

std::string_view name_of(KubeComponent component) {
  for (const Place& place : kPlaces) {
    if (place.component == component) return place.name;
  }
  return "?";
}

Result<KubernetesSettings> read_kubernetes(const SecretString& config) {
  auto documents = Documents::read(config);
  if (!documents) return forward_error(documents);
  KubernetesSettings found;
  for (Node& root : documents->roots) {
    for (const Place& place : kPlaces) {
      const Node* settings = settings_in(root, place);
      if (settings) read_settings(*settings, place.component, found);
    }
  }
  return found;
}

Result<MachineConfig> with_images(const SecretString& config, const KubeImages& images, Role role) {
  auto documents = Documents::read(config);
  if (!documents) return forward_error(documents);
  for (Node& root : documents->roots) {
    for (const Place& place : kPlaces) {
      const auto wanted = images.find(place.component);
      Node* settings = wanted == images.end() ? nullptr : settings_in(root, place);
      Node* image = settings ? find(*settings, "image") : nullptr;
      if (image) *image = yaml::make_string(wanted->second);
    }
  }
  return seal(std::move(documents->roots), role);
}

std::string tag_of_image(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const std::size_t colon = image.rfind(':');
  if (colon == image.npos || image.find('/', colon) != image.npos) return {};
  return std::string(image.substr(colon + 1));
}

}  // namespace ichor
