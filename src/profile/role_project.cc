#include "profile/role_project.h"

#include <array>
#include <fmt/format.h>

#include "base/ip.h"
#include "model/talos_release.h"
#include "profile/formats.h"
#include "profile/mapping_reader.h"
#include "profile/role_folders.h"
#include "profile/template_values.h"
#include "profile/template_variables.h"
#include "yaml/build.h"
#include "yaml/document.h"

namespace ichor {

namespace {

using yaml::Node;

constexpr std::array<const char*, 4> kTemplates = {
    "machineconfig-multicluster.yaml.j2", "machineconfig.yaml.j2",
    "../machineconfig-multicluster.yaml.j2", "../machineconfig.yaml.j2"};

/// The names behind `ENV.` and in `ENV["…"]`: a template gets no others, so nothing else of the
/// environment can end up in a config.
std::vector<std::string> environment_names(std::string_view text) {
  std::vector<std::string> names;
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  for (std::size_t at = text.find("ENV"); at != std::string_view::npos; at = text.find("ENV", at)) {
    at = text.find_first_not_of(".[\"'", at + 3);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_not_of(letters, at), text.size());
    if (end > at) names.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return names;
}

/// The templates that came with another one.
class KnownParts final : public jinja::Loader {
 public:
  explicit KnownParts(const BaseTemplate& base) : base_(base) {}
  Result<std::optional<std::string>> load(const std::string& name) override {
    const auto found = base_.parts.find(name);
    if (found == base_.parts.end()) return std::optional<std::string>();
    return std::optional<std::string>(found->second);
  }

 private:
  const BaseTemplate& base_;
};

Result<std::string> render_with(jinja::Loader& parts, const BaseTemplate& base,
                                const std::string& cluster_name, const RoleFile& file,
                                const pki::SecretsBundle& secrets);

class RoleProjectReader {
 public:
  RoleProjectReader(const std::string& folder, const ReaderInputs& inputs)
      : folder_(folder), inputs_(inputs) {
    log_.source = ProfileSource(folder);
  }

  ProfileReading run(const std::vector<std::string>& files) {
    recipe_.cluster_name = folder_.substr(folder_.rfind('/') + 1);
    reading_.profile.name = recipe_.cluster_name;
    // What controlplane/ and worker/ mean to their users: first the one, then the other.
    reading_.profile.worker_order = WorkerOrder::after_api;
    std::vector<Finding> findings;
    const std::vector<RoleFile> nodes = read_role_folders(folder_, files, findings);
    if (read_base()) {
      for (const RoleFile& node : nodes) read_node(node);
      settle();
    }
    reading_.findings = std::move(findings);
    for (Finding& finding : log_.take()) reading_.findings.push_back(std::move(finding));
    reading_.source = std::move(log_.source);
    if (reading_.ok()) reading_.recipe = std::move(recipe_);
    return std::move(reading_);
  }

 private:
  void refuse(const std::string& id, const std::string& what, const std::string& fix) {
    log_.add({1, 1}, id, what, fix);
  }

  std::optional<std::string> load(const std::string& name) {
    auto text = inputs_.file(name);
    if (text) return *std::move(text);
    refuse("profile.value", text.error().message, "correct the file");
    return std::nullopt;
  }

  bool read_base() {
    BaseTemplate base;
    for (const char* name : kTemplates) {
      auto text = load(name);
      if (!text) continue;
      base.file = folder_ + "/" + name;
      base.text = *std::move(text);
      break;
    }
    if (base.file.empty()) {
      refuse("profile.missing", fmt::format("{} has no template for its nodes", folder_),
             "put machineconfig-multicluster.yaml.j2 beside the folder");
      return false;
    }
    for (const char* name :
         {"variables.yaml", "variables.sops.yaml", "../variables.yaml", "../variables.sops.yaml"}) {
      const auto text = load(name);
      if (!text) continue;
      auto document = yaml::parse_single(*text, name);
      if (!document) {
        refuse("profile.syntax", document.error().message(), "write `name: value`");
        return false;
      }
      base.variables = std::move(document->root);
      break;
    }
    learn_environment(base.text, base);
    recipe_.base = std::move(base);
    return true;
  }

  void learn_environment(const std::string& text, BaseTemplate& base) {
    for (const std::string& name : environment_names(text)) {
      if (auto value = inputs_.variable(name)) base.environment[name] = *std::move(value);
    }
  }

  /// Looks for templates where the cluster's own one lies, and keeps what was found.
  class FindParts final : public jinja::Loader {
   public:
    explicit FindParts(RoleProjectReader& reader) : reader_(reader) {}
    Result<std::optional<std::string>> load(const std::string& name) override {
      BaseTemplate& base = *reader_.recipe_.base;
      if (const auto known = base.parts.find(name); known != base.parts.end()) {
        return std::optional<std::string>(known->second);
      }
      const std::string from = base.file.substr(reader_.folder_.size() + 1);
      auto text = reader_.inputs_.file(from.substr(0, from.rfind('/') + 1) + name);
      if (text && *text) base.parts[name] = **text;
      return text;
    }

   private:
    RoleProjectReader& reader_;
  };

  /// What is looked for is not a secret. A part that was found may name more of the environment.
  Result<std::string> render(const RoleFile& file) {
    BaseTemplate& base = *recipe_.base;
    FindParts parts(*this);
    while (true) {
      const std::size_t known = base.parts.size();
      auto rendered = render_with(parts, base, recipe_.cluster_name, file, placeholder_secrets());
      if (base.parts.size() == known) return rendered;
      for (const auto& [name, text] : base.parts) learn_environment(text, base);
    }
  }

  void read_node(const RoleFile& file) {
    const auto text = load(file.path);
    if (!text) return;
    const std::string path = folder_ + "/" + file.path;
    const auto patch = yaml::parse_or_explain(*text, path);
    if (!patch) return refuse("profile.syntax", patch.error().message(), "correct the patch");
    const auto rendered = render(file);
    if (!rendered) return refuse("profile.template", rendered.error().message, "correct it");
    const auto base = yaml::parse_or_explain(*rendered, recipe_.base->file);
    if (!base) return refuse("profile.syntax", base.error().message(), "correct the template");
    std::vector<const Node*> roots;  // what counts more comes first
    for (const yaml::Document& document : *patch) roots.push_back(&document.root);
    for (const yaml::Document& document : *base) roots.push_back(&document.root);
    reading_.profile.nodes.push_back(plan_of(file, path, roots));
    NodeRecipe recipe;
    recipe.node = file.node;
    recipe.role = file.role;
    recipe.file_name = fmt::format("{}-{}.yaml", recipe_.cluster_name, file.node.value());
    recipe.patches.push_back({path, *text});
    recipe_.nodes.push_back(std::move(recipe));
  }

  using Roots = std::vector<const Node*>;

  static const Node* find(const Roots& roots, std::initializer_list<std::string_view> path) {
    for (const Node* root : roots) {
      const Node* value = root->is_mapping() ? root->find_path(path) : nullptr;
      if (value != nullptr && !value->is_null()) return value;
    }
    return nullptr;
  }

  static std::string text_of(const Roots& roots, std::initializer_list<std::string_view> path) {
    const Node* value = find(roots, path);
    return value != nullptr ? value->text : std::string();
  }

  /// What the documents of one kind say, of Talos 1.14.
  static Roots typed(const Roots& roots, std::string_view kind) {
    Roots found;
    for (const Node* root : roots) {
      const Node* own = root->is_mapping() ? root->find("kind") : nullptr;
      if (own != nullptr && own->text == kind) found.push_back(root);
    }
    return found;
  }

  /// The text in quotes behind the beginning of an expression; empty for another expression.
  static std::string compared(const std::string& expression, std::string_view beginning) {
    if (!expression.starts_with(beginning) || !expression.ends_with('"')) return {};
    const std::string text =
        expression.substr(beginning.size(), expression.size() - beginning.size() - 1);
    return text.find_first_of("\"\\") == std::string::npos ? text : std::string();
  }

  static void learn_disk(const Roots& roots, NodePlan& plan) {
    plan.disk = text_of(roots, {"machine", "install", "disk"});
    plan.disk_selector.serial = text_of(roots, {"machine", "install", "diskSelector", "serial"});
    plan.disk_selector.size = text_of(roots, {"machine", "install", "diskSelector", "size"});
    plan.disk_selector.model = text_of(roots, {"machine", "install", "diskSelector", "model"});
    const std::string match =
        text_of(typed(roots, "UnattendedInstallConfig"), {"provisioning", "diskSelector", "match"});
    if (match.empty()) return;
    plan.disk = compared(match, "disk.dev_path == \"");
    plan.disk_selector.serial = compared(match, "disk.serial == \"");
    plan.disk_selector.model = compared(match, "disk.model == \"");
  }

  NodePlan plan_of(const RoleFile& file, const std::string& path, const Roots& roots) {
    NodePlan plan;
    plan.name = file.node;
    plan.role = file.role;
    learn_disk(roots, plan);
    for (const Node* root : roots) {
      if (!root->is_mapping()) continue;
      if (const Node* links = root->find_path({"machine", "network", "interfaces"})) {
        for (const Node& link : links->items) learn_link(link, plan);
      }
      const Node* kind = root->find("kind");
      if (kind != nullptr && kind->text.ends_with("Config")) learn_link(*root, plan);
    }
    plan.maintenance_address = plan.address;
    if (plan.address.value().empty()) {
      refuse("profile.missing", fmt::format("{} gives {} no address", path, file.node.value()),
             "write it under machine.network.interfaces, or as a LinkConfig");
    }
    learn_cluster(roots);
    if (file.role == Role::control_plane) learn_control_plane(roots);
    return plan;
  }

  /// An interface, a VLAN of one, or a document of the network.
  void learn_link(const Node& link, NodePlan& plan) {
    NetworkPlan& network = reading_.profile.network;
    const Node* name =
        link.find("interface") != nullptr ? link.find("interface") : link.find("name");
    if (const Node* addresses = link.find("addresses")) {
      for (const Node& item : addresses->items) {
        const Node* inner = item.find("address");
        const auto cidr = parse_cidr(inner != nullptr ? inner->text : item.text);
        if (!cidr || is_loopback(*cidr) || !plan.address.value().empty()) continue;
        plan.address = IpAddress(to_text(cidr->address));
        if (name != nullptr) plan.interface = name->text;
        if (network.node_cidr.empty()) {
          network.node_cidr = to_text(Cidr{first_of(*cidr), cidr->length});
        }
      }
    }
    if (const Node* mac = link.find_path({"deviceSelector", "hardwareAddr"})) {
      std::string text = mac->text;
      if (is_mac(text) && plan.mac.value().empty()) plan.mac = MacAddress(text);
    }
    if (const Node* vip = link.find_path({"vip", "ip"})) network.vip = vip->text;
    if (const Node* match = link.find_path({"selector", "match"})) {
      std::string text = compared(match->text, "mac(link.permanent_addr) == \"");
      if (is_mac(text) && plan.mac.value().empty()) plan.mac = MacAddress(text);
    }
    const Node* kind = link.find("kind");
    if (kind != nullptr && kind->text == "Layer2VIPConfig" && name != nullptr) {
      network.vip = name->text;
    }
    if (const Node* vlans = link.find("vlans")) {
      for (const Node& vlan : vlans->items) learn_link(vlan, plan);
    }
  }

  /// Addresses of the node itself, such as 169.254.116.108/32 on lo, are none to reach it at.
  static bool is_loopback(const Cidr& cidr) {
    const std::string text = to_text(cidr.address);
    return text.starts_with("127.") || text.starts_with("169.254.") || text == "::1";
  }

  void learn_cluster(const Roots& roots) {
    NetworkPlan& network = reading_.profile.network;
    if (!recipe_.endpoint.empty()) return;
    const auto either = [&](std::initializer_list<std::string_view> old, std::string_view kind,
                            std::initializer_list<std::string_view> path) {
      const std::string text = text_of(roots, old);
      return text.empty() ? text_of(typed(roots, kind), path) : text;
    };
    recipe_.endpoint =
        either({"cluster", "controlPlane", "endpoint"}, "KubeClusterConfig", {"endpoint"});
    network.api_endpoint = recipe_.endpoint;
    const auto first = [&](std::string_view key) {
      const Node* list = find(roots, {"cluster", "network", key});
      if (list == nullptr) list = find(typed(roots, "KubeNetworkConfig"), {key});
      return list != nullptr && !list->items.empty() ? list->items.front().text : std::string();
    };
    network.pod_cidr = first("podSubnets");
    network.service_cidr = first("serviceSubnets");
    const auto version_of = [&](const std::string& image) {
      return parse_version(image.substr(image.rfind(':') + 1));
    };
    const auto talos = version_of(
        either({"machine", "install", "image"}, "UnattendedInstallConfig", {"installer", "image"}));
    if (!talos) {
      refuse("profile.missing", "the template does not say which version of Talos is wanted",
             "write machine.install.image, or installer.image of an UnattendedInstallConfig, with "
             "its version behind the colon");
    } else {
      reading_.profile.talos.version = recipe_.version = *talos;
      reading_.profile.talos.contract = usual_contract(*talos);
    }
    const std::string kubelet = either({"machine", "kubelet", "image"}, "KubeletConfig", {"image"});
    if (version_of(kubelet)) {
      reading_.profile.talos.kubernetes_version = kubelet.substr(kubelet.rfind(':') + 1);
    }
    const std::string cni = text_of(roots, {"cluster", "network", "cni", "name"});
    reading_.profile.talos.cni_none = cni == "none";
    const Node* scheduling = find(roots, {"cluster", "allowSchedulingOnControlPlanes"});
    reading_.profile.talos.allow_scheduling_on_control_planes =
        scheduling != nullptr && scheduling->as_bool().value_or(false);
  }

  /// A control plane of Talos 1.14 has the CNI and the taint that its documents say, and no other.
  void learn_control_plane(const Roots& roots) {
    TalosPlan& talos = reading_.profile.talos;
    if (!typed(roots, "KubeNetworkConfig").empty()) {
      const Roots flannel = typed(roots, "KubeFlannelCNIConfig");
      talos.cni_none = flannel.empty() || flannel.front()->find("$patch") != nullptr;
    }
    const Roots node = typed(roots, "KubeNodeConfig");
    if (node.empty()) return;
    const Node* taint = find(node, {"taints", "node-role.kubernetes.io/control-plane"});
    talos.allow_scheduling_on_control_planes = taint == nullptr || taint->find("$patch") != nullptr;
  }

  void settle() {
    for (const NodePlan& node : reading_.profile.nodes) {
      recipe_.addresses.push_back(node.address.value());
      if (node.role == Role::control_plane) recipe_.endpoints.push_back(node.address.value());
    }
  }

  const std::string& folder_;
  const ReaderInputs& inputs_;
  ReadingLog log_;
  ProfileReading reading_;
  ClusterRecipe recipe_;
};

void put(const jinja::Value& dict, std::string_view name, jinja::Value value) {
  dict.as_dict()->put(jinja::Value::string(std::string(name)), std::move(value));
}

Result<jinja::Value> secrets_value(const pki::SecretsBundle& secrets) {
  const SecretString text = pki::write_secrets(secrets);
  auto document = yaml::parse_single(text.reveal(), "secrets");
  if (!document) return fail(Errc::invalid, "the secrets cannot be read");
  auto value = template_value(document->root, "secrets");
  yaml::wipe(document->root);
  // The message would show the value.
  if (!value) return fail(Errc::invalid, "the secrets hold what a template cannot take");
  return *std::move(value);
}

Result<std::string> render_with(jinja::Loader& parts, const BaseTemplate& base,
                                const std::string& cluster_name, const RoleFile& file,
                                const pki::SecretsBundle& secrets) {
  jinja::Value variables = jinja::Value::dict();
  if (base.variables.is_mapping()) {
    auto own = template_value(base.variables, "variables.yaml");
    if (!own) return fail(Errc::invalid, own.error().message());
    variables = *std::move(own);
  }
  put(variables, "cluster_name", jinja::Value::string(cluster_name));
  put(variables, "role",
      jinja::Value::string(file.role == Role::control_plane ? "controlplane" : "worker"));
  jinja::Value self = jinja::Value::dict();
  put(self, "name", jinja::Value::string(file.node.value()));
  put(variables, "node", std::move(self));
  jinja::Value environment = jinja::Value::dict();
  for (const auto& [name, value] : base.environment) {
    put(environment, name, jinja::Value::string(value));
  }
  put(variables, "ENV", std::move(environment));
  auto bundle = secrets_value(secrets);
  if (!bundle) return forward_error(bundle);
  put(variables, "secrets", *std::move(bundle));
  auto rendering =
      jinja::render(base.text, base.file, variables, patch_template_options(base.text), &parts);
  if (!rendering) return fail(Errc::invalid, rendering.error().message());
  if (rendering->is_empty()) return fail(Errc::invalid, base.file + " renders to nothing");
  return std::move(rendering->text);
}

}  // namespace

pki::SecretsBundle placeholder_secrets() {
  pki::SecretsBundle bundle;
  bundle.secretbox_encryption_secret = SecretString("cGxhY2Vob2xkZXI=");
  bundle.aescbc_encryption_secret = SecretString("cGxhY2Vob2xkZXI=");
  return bundle;
}

Result<std::string> render_base(const BaseTemplate& base, const std::string& cluster_name,
                                const NodeName& node, Role role,
                                const pki::SecretsBundle& secrets) {
  KnownParts parts(base);
  return render_with(parts, base, cluster_name, {node, role, {}}, secrets);
}

ProfileReading read_role_project(const std::string& folder, const std::vector<std::string>& files,
                                 const ReaderInputs& inputs) {
  return RoleProjectReader(folder, inputs).run(files);
}

}  // namespace ichor
