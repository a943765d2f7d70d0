#include "profile/talconfig.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/ip.h"
#include "model/talos_release.h"
#include "profile/envsubst.h"
#include "profile/formats.h"
#include "profile/mapping_reader.h"
#include "profile/talconfig_node.h"
#include "yaml/build.h"
#include "yaml/document.h"

namespace ichor {

namespace {

using yaml::Node;

constexpr std::string_view kDefaultVersion = "v1.13.8";  // of talhelper 3.1.16
constexpr std::string_view kInstaller =
    "{{.RegistryURL}}/{{.Mode}}-installer{{if .Secureboot}}-secureboot{{end}}/{{.ID}}:{{.Version}}";
constexpr std::string_view kAddress = "an IP address or a host name, several with commas between";

/// The keys that nodes, controlPlane and worker share.
void know_node_configs(MappingReader& reader) {
  for (const std::string_view key :
       {"nodeLabels",        "nodeAnnotations",     "nodeTaints",        "machineDisks",
        "machineFiles",      "disableSearchDomain", "kernelModules",     "nameservers",
        "networkInterfaces", "extraManifests",      "certSANs",          "patches",
        "talosImageURL",     "noSchematicValidate", "schematic",         "imageSchematic",
        "machineSpec",       "ingressFirewall",     "extensionServices", "volumes",
        "userVolumes",       "filenameTmpl"}) {
    reader.raw(key);
  }
}

std::vector<std::string> split_addresses(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string part(text.substr(0, comma));
    std::erase(part, ' ');
    result.push_back(std::move(part));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return result;
}

bool are_addresses(std::string& text) {
  const std::vector<std::string> all = split_addresses(text);
  return !all.empty() &&
         std::all_of(all.begin(), all.end(), [](const std::string& one) { return is_host(one); });
}

class TalconfigReader {
 public:
  TalconfigReader(const std::string& file_name, const ReaderInputs& inputs) : inputs_(inputs) {
    log_.source = ProfileSource(file_name);
  }

  ProfileReading run(std::string_view text) {
    auto document = yaml::parse_single(text, log_.source.file());
    if (!document) {
      log_.add(document.error().at, "profile.syntax", document.error().what,
               "see talhelper's documentation of talconfig.yaml");
    } else {
      TalconfigFiles files(log_, inputs_, read_talenv());
      substitute(
          document->root, [&](const std::string& name) { return files.variable(name); }, log_);
      if (log_.findings.empty()) read_root(document->root, files);
    }
    reading_.findings = log_.take();
    reading_.source = std::move(log_.source);
    if (reading_.ok()) reading_.recipe = std::move(recipe_);
    return std::move(reading_);
  }

 private:
  std::map<std::string, std::string> read_talenv();
  void read_root(const Node& root, TalconfigFiles& files);
  void read_cluster(MappingReader& reader, TalconfigFiles& files);
  void read_versions(MappingReader& reader);
  void read_manifests(MappingReader& reader, TalconfigFiles& files);
  void read_factory(MappingReader factory);
  void read_nodes(MappingReader& reader, const Node& root, TalconfigFiles& files);
  NodePlan plan_of(MappingReader& reader, const TalconfigNode& node);
  void learn_network(const TalconfigNode& node, NodePlan& plan);
  void learn_link(const Node& link, const TalconfigNode& node, NodePlan& plan);

  const ReaderInputs& inputs_;
  ReadingLog log_;
  ProfileReading reading_;
  ClusterRecipe recipe_;
  TalconfigCluster cluster_;
};

/// Later files win, as in talhelper.
std::map<std::string, std::string> TalconfigReader::read_talenv() {
  std::map<std::string, std::string> variables;
  for (const char* name : {"talenv.yaml", "talenv.sops.yaml", "talenv.yml", "talenv.sops.yml"}) {
    const auto text = inputs_.file(name);
    if (!text) {
      log_.add({1, 1}, "profile.variable", text.error().message, "correct the file or its key");
      continue;
    }
    if (!*text) continue;
    const auto document = yaml::parse_single(**text, name);
    const bool flat = document && (document->root.is_mapping() || document->root.is_null());
    if (!flat) {
      // Neither the text nor the position is shown: the file holds secrets.
      log_.add({1, 1}, "profile.variable", fmt::format("{} is not a list of `NAME: value`", name),
               "write one variable per line");
      continue;
    }
    for (const yaml::Entry& entry : document->root.entries) {
      variables[entry.key.text] = entry.value.text;
    }
  }
  return variables;
}

void TalconfigReader::read_versions(MappingReader& reader) {
  cluster_.version = std::string(kDefaultVersion);
  const auto is_version = [](std::string& text) { return parse_version(text).has_value(); };
  reader.text("talosVersion", cluster_.version, Need::optional, "a version such as v1.12.6",
              is_version);
  if (!cluster_.version.starts_with('v')) cluster_.version.insert(0, "v");
  cluster_.talos = parse_version(cluster_.version).value_or(TalosVersion{1, 13, 8});
  recipe_.version = cluster_.talos;
  TalosPlan& talos = reading_.profile.talos;
  talos.version = cluster_.talos;
  talos.contract = usual_contract(talos.version);
  reader.text("kubernetesVersion", talos.kubernetes_version, Need::required,
              "a version such as v1.35.2", is_version);
  recipe_.kubernetes_version = talos.kubernetes_version;
}

void TalconfigReader::read_manifests(MappingReader& reader, TalconfigFiles& files) {
  const Node* list = reader.raw("inlineManifests");
  if (list == nullptr) return;
  std::vector<Node> manifests;
  for (const Node& item : list->items) {
    const Node* skip = item.find("skipEnvsubst");
    const Node* contents = item.find("contents");
    const Node* name = item.find("name");
    yaml::Map manifest;
    if (name != nullptr) manifest.set("name", name->text);
    const bool substituted = skip == nullptr || !skip->as_bool().value_or(false);
    if (contents != nullptr) {
      manifest.set("contents", files.content(*contents, substituted).value_or(""));
    }
    manifests.push_back(std::move(manifest).done());
  }
  cluster_.inline_manifests = yaml::list(std::move(manifests));
}

void TalconfigReader::read_factory(MappingReader factory) {
  cluster_.installer_template = std::string(kInstaller);
  factory.text("registryURL", cluster_.registry);
  factory.text("installerURLTmpl", cluster_.installer_template);
  for (const std::string_view key : {"schematicEndpoint", "protocol", "ISOURLTmpl"}) {
    factory.raw(key);
  }
  factory.finish();
}

void TalconfigReader::read_cluster(MappingReader& reader, TalconfigFiles& files) {
  ClusterProfile& profile = reading_.profile;
  reader.text("clusterName", profile.name, Need::required, "a name",
              [](std::string& name) { return is_name(name); });
  cluster_.name = recipe_.cluster_name = profile.name;
  read_versions(reader);
  reader.text("endpoint", recipe_.endpoint, Need::required,
              "an endpoint such as https://192.168.22.100:6443", [&](std::string& text) {
                std::string normal = text;
                if (!text.starts_with("https://") || !is_endpoint(normal)) return false;
                profile.network.api_endpoint = normal;
                return true;
              });
  reader.text("domain", profile.network.dns_domain, Need::optional, "a domain",
              [](std::string& domain) { return is_host(domain); });
  recipe_.dns_domain = profile.network.dns_domain;
  bool masters = false;
  reader.flag("allowSchedulingOnMasters", masters);
  reader.flag("allowSchedulingOnControlPlanes", recipe_.allow_scheduling_on_control_planes);
  recipe_.allow_scheduling_on_control_planes |= masters;
  profile.talos.allow_scheduling_on_control_planes = recipe_.allow_scheduling_on_control_planes;
  reader.texts("additionalMachineCertSans", cluster_.machine_sans);
  reader.texts("additionalApiServerCertSans", cluster_.api_sans);
  const std::string_view network = "a network such as 10.42.0.0/16";
  reader.texts("clusterPodNets", cluster_.pod_subnets, network, is_cidr);
  reader.texts("clusterSvcNets", cluster_.service_subnets, network, is_cidr);
  if (cluster_.pod_subnets.empty()) cluster_.pod_subnets = {"10.244.0.0/16"};
  if (cluster_.service_subnets.empty()) cluster_.service_subnets = {"10.96.0.0/12"};
  profile.network.pod_cidr = cluster_.pod_subnets.front();
  profile.network.service_cidr = cluster_.service_subnets.front();
  if (const Node* cni = reader.mapping("cniConfig")) {
    cluster_.cni = *cni;
    const Node* name = cni->find("name");
    profile.talos.cni_none = name != nullptr && name->text == "none";
  }
  read_manifests(reader, files);
  read_factory(reader.section("imageFactory"));
  if (const Node* patches = reader.raw("patches")) cluster_.patches = patches->items;
}

/// What the links of a node tell about the cluster's network.
void TalconfigReader::learn_link(const Node& link, const TalconfigNode& node, NodePlan& plan) {
  NetworkPlan& network = reading_.profile.network;
  const auto address = parse_ip(plan.address.value());
  if (const Node* addresses = link.find("addresses")) {
    for (const Node& item : addresses->items) {
      const auto cidr = parse_cidr(item.text);
      if (!cidr || !address || cidr->address != *address) continue;
      if (network.node_cidr.empty()) {
        network.node_cidr = to_text(Cidr{first_of(*cidr), cidr->length});
      }
      if (const Node* name = link.find("interface")) plan.interface = name->text;
    }
  }
  if (const Node* routes = link.find("routes")) {
    for (const Node& route : routes->items) {
      const Node* to = route.find("network");
      const Node* gateway = route.find("gateway");
      const bool is_default = to == nullptr || to->text == "0.0.0.0/0" || to->text.empty();
      if (is_default && gateway != nullptr && network.gateway.empty()) {
        network.gateway = gateway->text;
      }
    }
  }
  if (const Node* mac = link.find_path({"deviceSelector", "hardwareAddr"})) {
    std::string text = mac->text;
    if (is_mac(text) && plan.mac.value().empty()) plan.mac = MacAddress(text);
  }
  const Node* vip = link.find_path({"vip", "ip"});
  if (vip != nullptr && node.control_plane() && network.vip.empty()) {
    network.vip = vip->text;
    if (const Node* name = link.find("interface")) network.vip_interface = name->text;
  }
}

void TalconfigReader::learn_network(const TalconfigNode& node, NodePlan& plan) {
  const Node* interfaces = node.find("networkInterfaces");
  if (interfaces == nullptr) return;
  for (const Node& link : interfaces->items) {
    learn_link(link, node, plan);
    if (const Node* vlans = link.find("vlans")) {
      for (const Node& vlan : vlans->items) learn_link(vlan, node, plan);
    }
  }
}

NodePlan TalconfigReader::plan_of(MappingReader& reader, const TalconfigNode& node) {
  NodePlan plan;
  plan.role = node.control_plane() ? Role::control_plane : Role::worker;
  std::string text;
  reader.text("hostname", text, Need::required, "a name of lower-case letters, digits, - and .",
              [](std::string& name) { return is_name(name); });
  plan.name = NodeName(text);
  text.clear();
  reader.text("ipAddress", text, Need::required, kAddress, are_addresses);
  const std::vector<std::string> addresses = split_addresses(text);
  if (!addresses.empty()) plan.address = plan.maintenance_address = IpAddress(addresses.front());
  recipe_.addresses.insert(recipe_.addresses.end(), addresses.begin(), addresses.end());
  if (plan.role == Role::control_plane) {
    recipe_.endpoints.insert(recipe_.endpoints.end(), addresses.begin(), addresses.end());
  }
  reader.text("installDisk", plan.disk);
  const Node* selector = reader.raw("installDiskSelector");
  if (selector != nullptr) {
    const auto take = [&](std::string_view key, std::string& target) {
      if (const Node* value = selector->find(key)) target = value->text;
    };
    DiskSelector& disk = plan.disk_selector;
    take("size", disk.size);
    take("model", disk.model);
    take("serial", disk.serial);
    take("modalias", disk.modalias);
    take("uuid", disk.uuid);
    take("wwid", disk.wwid);
    take("type", disk.type);
    take("busPath", disk.bus_path);
  } else if (plan.disk.empty() && reader.there()) {
    reader.report("", "profile.missing",
                  fmt::format("{} has neither installDisk nor installDiskSelector", reader.path()),
                  "say which disk to install to: `installDisk: /dev/sda`");
  }
  if (const Node* labels = node.find("nodeLabels")) {
    for (const yaml::Entry& entry : labels->entries) {
      plan.labels[entry.key.text] = entry.value.text;
    }
  }
  learn_network(node, plan);
  return plan;
}

void TalconfigReader::read_nodes(MappingReader& reader, const Node& root, TalconfigFiles& files) {
  static const Node nothing;
  const auto role_of = [&](std::string_view key) -> const Node& {
    const Node* role = root.find(key);
    return role != nullptr ? *role : nothing;
  };
  const Node* list = root.find("nodes");
  std::vector<MappingReader> nodes = reader.sections("nodes", Need::required);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    MappingReader& one = nodes[i];
    bool control_plane = false;
    one.flag("controlPlane", control_plane);
    const TalconfigNode node(list->items[i], role_of(control_plane ? "controlPlane" : "worker"));
    for (const std::string_view key : {"ignoreHostname", "overridePatches",
                                       "overrideExtraManifests", "overrideMachineCertSANs"}) {
      bool ignored = false;
      one.flag(key, ignored);
    }
    know_node_configs(one);
    reading_.profile.nodes.push_back(plan_of(one, node));
    recipe_.nodes.push_back(node_recipe(cluster_, node, files, log_));
    one.finish();
  }
  std::stable_sort(reading_.profile.nodes.begin(), reading_.profile.nodes.end(),
                   [](const NodePlan& a, const NodePlan& b) {
                     return a.role == Role::control_plane && b.role == Role::worker;
                   });
}

void TalconfigReader::read_root(const Node& root, TalconfigFiles& files) {
  MappingReader reader(log_, root, "");
  read_cluster(reader, files);
  for (const std::string_view key : {"controlPlane", "worker"}) {
    MappingReader role = reader.section(key);
    know_node_configs(role);
    role.finish();
  }
  read_nodes(reader, root, files);
  reader.finish();
}

}  // namespace

ProfileReading read_talconfig(std::string_view text, const std::string& file_name,
                              const ReaderInputs& inputs) {
  return TalconfigReader(file_name, inputs).run(text);
}

}  // namespace ichor
