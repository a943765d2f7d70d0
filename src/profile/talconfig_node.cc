#include "profile/talconfig_node.h"

#include <fmt/format.h>
#include <initializer_list>

#include "profile/go_template.h"
#include "profile/talconfig_links.h"
#include "yaml/build.h"

namespace ichor {

namespace {

using yaml::Node;

/// What Go takes for not set: nothing, "", false, 0. A mapping of such values is one too where Go
/// has a plain struct.
bool is_zero(const Node& node) {
  if (node.is_null()) return true;
  if (!node.is_scalar()) return false;
  return node.text.empty() || node.as_bool() == false || node.as_int() == 0;
}

bool is_zero_struct(const Node& node) {
  for (const yaml::Entry& entry : node.entries) {
    if (!is_zero(entry.value)) return false;
  }
  return true;
}

class RecipeMaker {
 public:
  RecipeMaker(const TalconfigCluster& cluster, const TalconfigNode& node, TalconfigFiles& files,
              ReadingLog& log)
      : cluster_(cluster), node_(node), files_(files), log_(log) {}

  NodeRecipe run() {
    recipe_.node = NodeName(node_.text("hostname"));
    recipe_.role = node_.control_plane() ? Role::control_plane : Role::worker;
    recipe_.file_name = file_name();
    add_image();
    add_cluster_edits();
    add_machine_edits();
    add_kernel_arguments();
    if (network_documents()) {
      add_network_documents();
    } else {
      add_network_edits();
    }
    add_documents();
    add_patches();
    return std::move(recipe_);
  }

 private:
  using Path = std::initializer_list<std::string_view>;

  bool network_documents() const { return cluster_.talos >= TalosVersion{1, 12, 0}; }

  void edit(Path path, Node value, ConfigEdit::How how = ConfigEdit::How::set) {
    recipe_.edits.push_back({{path.begin(), path.end()}, std::move(value), how});
  }
  /// Takes a value over as it is written.
  void take(std::string_view key, Path path) {
    if (const Node* value = node_.find(key)) edit(path, *value);
  }

  std::string file_name();
  void add_image();
  void add_cluster_edits();
  void add_machine_edits();
  void add_map(std::string_view key);
  void add_files();
  void add_kernel_arguments();
  void add_network_edits();
  void add_network_documents();
  void add_documents();
  void add_named_documents(std::string_view key, std::string_view kind);
  void add_firewall();
  void add_patches();

  Node document(std::string_view kind) const {
    return yaml::map().set("apiVersion", "v1alpha1").set("kind", kind);
  }

  const TalconfigCluster& cluster_;
  const TalconfigNode& node_;
  TalconfigFiles& files_;
  ReadingLog& log_;
  NodeRecipe recipe_;
};

std::string RecipeMaker::file_name() {
  const std::string written = node_.text("filenameTmpl");
  const auto name =
      render_go_template(written.empty() ? "{{ .ClusterName }}-{{ .Hostname }}.yaml" : written,
                         {{"ClusterName", cluster_.name},
                          {"Hostname", node_.text("hostname")},
                          {"IPAddress", node_.text("ipAddress")},
                          {"Role", node_.control_plane() ? "controlplane" : "worker"}});
  const bool harmless = name && !name->empty() && name->find('/') == std::string::npos;
  if (harmless) return *name;
  const Node* at = node_.find("filenameTmpl");
  log_.add(at != nullptr ? at->at : yaml::Position{1, 1}, "profile.value",
           name ? fmt::format("`{}` is not the name of a file", *name) : name.error(),
           "write a name such as {{ .Hostname }}.yaml");
  return {};
}

void RecipeMaker::add_image() {
  const std::string url = node_.text("talosImageURL");
  if (!url.empty()) {
    recipe_.install_image = fmt::format("{}:{}", url, cluster_.version);
    return;
  }
  if (const Node* schematic = node_.find("schematic")) recipe_.schematic = *schematic;
  const Node* spec = node_.find("machineSpec");
  const auto of_spec = [&](std::string_view key, std::string_view otherwise) {
    const Node* value = spec != nullptr ? spec->find(key) : nullptr;
    return value != nullptr && !is_zero(*value) ? value->text : std::string(otherwise);
  };
  const auto image = render_go_template(cluster_.installer_template,
                                        {{"RegistryURL", cluster_.registry},
                                         {"ID", std::string(kSchematicId)},
                                         {"Version", cluster_.version},
                                         {"Mode", of_spec("mode", "metal")},
                                         {"Secureboot", of_spec("secureboot", "false")}});
  if (image) {
    recipe_.install_image = *image;
  } else {
    log_.add(log_.source.position("imageFactory.installerURLTmpl"), "profile.value", image.error(),
             "use the fields RegistryURL, ID, Version, Mode and Secureboot");
  }
}

void RecipeMaker::add_cluster_edits() {
  edit({"cluster", "network", "podSubnets"}, yaml::list(cluster_.pod_subnets));
  edit({"cluster", "network", "serviceSubnets"}, yaml::list(cluster_.service_subnets));
  if (!cluster_.cni.is_null()) edit({"cluster", "network", "cni"}, cluster_.cni);
  if (!cluster_.inline_manifests.items.empty()) {
    edit({"cluster", "inlineManifests"}, cluster_.inline_manifests);
  }
  if (!cluster_.api_sans.empty() && node_.control_plane()) {
    edit({"cluster", "apiServer", "certSANs"}, yaml::list(cluster_.api_sans),
         ConfigEdit::How::append);
  }
}

/// Labels, annotations or taints: what the node says replaces what Talos would write.
void RecipeMaker::add_map(std::string_view key) {
  const Node* value = node_.find(key);
  if (value == nullptr) return;
  for (const yaml::Entry& entry : value->entries) {
    if (entry.value.text.find("{{") == std::string::npos) continue;
    log_.add(
        entry.value.at, "profile.value",
        fmt::format("{}.{} is a template of Go, which ichor does not render", key, entry.key.text),
        "write the value out, or use a ${VARIABLE}");
  }
  edit({"machine", key}, *value);
}

void RecipeMaker::add_machine_edits() {
  take("installDisk", {"machine", "install", "disk"});
  take("installDiskSelector", {"machine", "install", "diskSelector"});
  take("machineDisks", {"machine", "disks"});
  take("kernelModules", {"machine", "kernel", "modules"});
  for (const std::string_view key : {"nodeLabels", "nodeAnnotations", "nodeTaints"}) add_map(key);
  add_files();
  std::vector<std::string> sans = cluster_.machine_sans;
  for (const Node* san : node_.joined("certSANs", "overrideMachineCertSANs", true)) {
    sans.push_back(san->text);
  }
  if (!sans.empty()) {
    edit({"machine", "certSANs"}, yaml::list(sans), ConfigEdit::How::append);
  }
}

void RecipeMaker::add_files() {
  const Node* list = node_.find("machineFiles");
  if (list == nullptr || list->items.empty()) return;
  std::vector<Node> files;
  for (const Node& file : list->items) {
    const Node* skip = file.find("skipEnvsubst");
    Node kept = file;
    std::erase_if(kept.entries, [](const yaml::Entry& e) { return e.key.text == "skipEnvsubst"; });
    for (yaml::Entry& entry : kept.entries) {
      if (entry.key.text != "content") continue;
      const bool substituted = skip == nullptr || !skip->as_bool().value_or(false);
      if (auto text = files_.content(entry.value, substituted)) {
        entry.value = yaml::value(*text);
      }
    }
    files.push_back(std::move(kept));
  }
  edit({"machine", "files"}, yaml::list(std::move(files)));
}

/// A boot image that carries its own command line takes no arguments from the config.
void RecipeMaker::add_kernel_arguments() {
  const Node* schematic = node_.find("schematic");
  const Node* arguments =
      schematic != nullptr ? schematic->find_path({"customization", "extraKernelArgs"}) : nullptr;
  if (arguments == nullptr || arguments->items.empty() || network_documents()) return;
  const Node* spec = node_.find("machineSpec");
  const Node* uki = spec != nullptr ? spec->find("useUKI") : nullptr;
  if (uki != nullptr && uki->as_bool().value_or(false)) return;
  edit({"machine", "install", "extraKernelArgs"}, *arguments, ConfigEdit::How::append);
}

void RecipeMaker::add_network_edits() {
  if (!node_.flag("ignoreHostname")) {
    edit({"machine", "network", "hostname"}, yaml::value(node_.text("hostname")));
  }
  const auto take_list = [&](std::string_view key, std::string_view to) {
    const Node* list = node_.find(key);
    if (list != nullptr && !list->items.empty()) edit({"machine", "network", to}, *list);
  };
  take_list("nameservers", "nameservers");
  if (node_.flag("disableSearchDomain")) {
    edit({"machine", "network", "disableSearchDomain"}, yaml::value(true));
  }
  take_list("networkInterfaces", "interfaces");
}

void RecipeMaker::add_network_documents() {
  const Node* nameservers = node_.find("nameservers");
  const bool disable = node_.flag("disableSearchDomain");
  if (disable || (nameservers != nullptr && !nameservers->items.empty())) {
    std::vector<Node> servers;
    if (nameservers != nullptr) {
      for (const Node& server : nameservers->items) {
        servers.push_back(yaml::map().set("address", server.text));
      }
    }
    yaml::Map resolver = yaml::map().set("apiVersion", "v1alpha1").set("kind", "ResolverConfig");
    if (!servers.empty()) resolver.set("nameservers", yaml::list(std::move(servers)));
    resolver.set("searchDomains", yaml::map().set("disableDefault", disable));
    recipe_.documents.push_back(std::move(resolver).done());
  }
  yaml::Map hostname = yaml::map().set("apiVersion", "v1alpha1").set("kind", "HostnameConfig");
  if (node_.flag("ignoreHostname")) {
    hostname.set("auto", "stable");
  } else {
    hostname.set("hostname", node_.text("hostname")).set("auto", "off");
  }
  recipe_.documents.push_back(std::move(hostname).done());
  if (const Node* interfaces = node_.find("networkInterfaces")) {
    for (Node& link : link_documents(*interfaces)) recipe_.documents.push_back(std::move(link));
  }
}

/// Entries that have the keys of their document.
void RecipeMaker::add_named_documents(std::string_view key, std::string_view kind) {
  const Node* list = node_.find(key);
  if (list == nullptr) return;
  for (const Node& item : list->items) {
    Node result = document(kind);
    result.entries.insert(result.entries.end(), item.entries.begin(), item.entries.end());
    recipe_.documents.push_back(std::move(result));
  }
}

void RecipeMaker::add_firewall() {
  const Node* firewall = node_.find("ingressFirewall");
  if (firewall == nullptr) return;
  const Node* action = firewall->find("defaultAction");
  recipe_.documents.push_back(yaml::map()
                                  .set("apiVersion", "v1alpha1")
                                  .set("kind", "NetworkDefaultActionConfig")
                                  .set("ingress", action != nullptr ? action->text : "block")
                                  .done());
  const Node* rules = firewall->find("rules");
  if (rules == nullptr) return;
  for (const Node& rule : rules->items) {
    Node result = document("NetworkRuleConfig");
    result.entries.insert(result.entries.end(), rule.entries.begin(), rule.entries.end());
    recipe_.documents.push_back(std::move(result));
  }
}

void RecipeMaker::add_documents() {
  add_firewall();
  add_named_documents("extensionServices", "ExtensionServiceConfig");
  add_named_documents("volumes", "VolumeConfig");
  add_named_documents("userVolumes", "UserVolumeConfig");
}

void RecipeMaker::add_patches() {
  const auto add = [&](const Node& value) {
    if (auto patch = files_.patch(value)) recipe_.patches.push_back(*std::move(patch));
  };
  for (const Node* value : node_.joined("patches", "overridePatches", false)) add(*value);
  for (const Node& value : cluster_.patches) add(value);
  for (const Node* value : node_.joined("extraManifests", "overrideExtraManifests", true)) {
    const std::string path = value->text.substr(value->text.starts_with('@') ? 1 : 0);
    if (auto extra = files_.named(*value, path)) recipe_.extra_documents.push_back(*extra);
  }
}

}  // namespace

const yaml::Node* TalconfigNode::find(std::string_view key) const {
  const auto set = [&](const Node& from) -> const Node* {
    const Node* value = from.find(key);
    if (value == nullptr || is_zero(*value)) return nullptr;
    const bool plain_struct = key == "machineSpec";
    return plain_struct && is_zero_struct(*value) ? nullptr : value;
  };
  const Node* own = set(own_);
  return own != nullptr ? own : set(role_);
}

std::string TalconfigNode::text(std::string_view key) const {
  const Node* value = find(key);
  return value != nullptr ? value->text : std::string();
}

bool TalconfigNode::flag(std::string_view key) const {
  const Node* value = find(key);
  return value != nullptr && value->as_bool().value_or(false);
}

std::vector<const yaml::Node*> TalconfigNode::joined(std::string_view key,
                                                     std::string_view override_key,
                                                     bool own_first) const {
  std::vector<const Node*> result;
  const auto append = [&](const Node& from) {
    const Node* list = from.find(key);
    if (list == nullptr) return;
    for (const Node& item : list->items) result.push_back(&item);
  };
  const bool only_own = flag(override_key);
  if (only_own || own_first) append(own_);
  // What overrides without saying anything itself gets what the role says.
  const Node* own = own_.find(key);
  if (!only_own || own == nullptr || own->is_null()) append(role_);
  if (!only_own && !own_first) append(own_);
  return result;
}

NodeRecipe node_recipe(const TalconfigCluster& cluster, const TalconfigNode& node,
                       TalconfigFiles& files, ReadingLog& log) {
  return RecipeMaker(cluster, node, files, log).run();
}

}  // namespace ichor
