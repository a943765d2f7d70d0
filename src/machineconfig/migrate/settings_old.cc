#include <fmt/format.h>

#include "machineconfig/migrate/selectors.h"
#include "machineconfig/migrate/settings_reader.h"
#include "secrets/base64.h"

namespace ichor::migrate {

namespace {

std::string decoded(const std::string& text) { return pki::from_base64(text).value_or(text); }

yaml::Node* part(yaml::Node& mapping, std::string_view key) {
  return const_cast<yaml::Node*>(mapping.find(key));
}

}  // namespace

void Reader::read_addressing(const yaml::Node& device, const std::string& link) {
  const auto address = [&](const std::string& text) {
    if (!text.empty()) set(fmt::format("link {} address {}", link, text), "");
  };
  address(text_of(device, "cidr"));
  if (const yaml::Node* all = device.find("addresses")) {
    for (const yaml::Node& item : all->items) address(item.text);
  }
  if (const yaml::Node* routes = device.find("routes")) {
    for (const yaml::Node& route : routes->items) {
      std::string network = text_of(route, "network");
      if (network == "0.0.0.0/0" || network == "::/0") network.clear();
      set(fmt::format("link {} route {} via {}", link, network, text_of(route, "gateway")),
          fmt::format("{}/{}/{}", text_of(route, "source"), text_of(route, "metric"),
                      text_of(route, "mtu")));
    }
  }
  const std::string mtu = text_of(device, "mtu");
  if (!mtu.empty() && mtu != "0") set(fmt::format("link {} mtu", link), mtu);
  if (text_of(device, "dhcp") == "true") {
    const yaml::Node* options = device.find("dhcpOptions");
    const std::string metric = options ? text_of(*options, "routeMetric") : "";
    const std::string value = metric == "0" ? "" : metric;
    if (!options || text_of(*options, "ipv4") != "false") set("link " + link + " dhcp4", value);
    if (options && text_of(*options, "ipv6") == "true") {
      set("link " + link + " dhcp6", value + " " + text_of(*options, "duidv6"));
    }
  }
  if (const yaml::Node* vip = device.find("vip")) {
    const yaml::Node* hcloud = vip->find("hcloud");
    set("vip " + text_of(*vip, "ip"), link + " " + (hcloud ? text_of(*hcloud, "apiToken") : ""));
  }
}

void Reader::read_old_interface(const yaml::Node& device) {
  std::string link = text_of(device, "interface");
  const yaml::Node* selector = device.find("deviceSelector");
  if (link.empty() && selector) link = link_match(*selector);
  set("link " + link, "");
  read_addressing(device, link);
  if (const yaml::Node* vlans = device.find("vlans")) {
    for (const yaml::Node& vlan : vlans->items) {
      const std::string name = link + "." + text_of(vlan, "vlanId");
      set("link " + name, "");
      set("link " + name + " vlan", text_of(vlan, "vlanId") + " on " + link);
      read_addressing(vlan, name);
    }
  }
  read_old_stack(device, link);
}

void Reader::read_old_stack(const yaml::Node& device, const std::string& link) {
  static const std::map<std::string, std::string> renamed{
      {"interfaces", "links"},          {"mode", "bondMode"},
      {"arpIPTarget", "arpIpTargets"},  {"resendIgmp", "resendIGMP"},
      {"tlbDynamicLb", "tlbLogicalLb"}, {"peerNotifyDelay", "peerNotifDelay"}};
  if (const yaml::Node* bond = device.find("bond")) {
    for (const yaml::Entry& entry : bond->entries) {
      const auto row = renamed.find(entry.key.text);
      const std::string& key = row == renamed.end() ? entry.key.text : row->second;
      flatten(entry.value, fmt::format("link {} bond.{}", link, key));
    }
  }
  if (const yaml::Node* bridge = device.find("bridge")) {
    if (const yaml::Node* ports = bridge->find("interfaces")) {
      flatten(*ports, "link " + link + " bridge.links");
    }
    if (const yaml::Node* stp = bridge->find("stp")) flatten(*stp, "link " + link + " bridge.stp");
    const yaml::Node* filtering = bridge->find_path({"vlan", "vlanFiltering"});
    if (filtering) set("link " + link + " bridge.vlan.filtering", filtering->text);
  }
  if (const yaml::Node* wireguard = device.find("wireguard")) {
    flatten(*wireguard, "link " + link + " wireguard");
  }
  if (text_of(device, "dummy") == "true") set("link " + link + " dummy", "true");
}

void Reader::read_old_network(yaml::Node& network) {
  yaml::Node devices = take_from(network, "interfaces");
  std::erase_if(devices.items, [&](const yaml::Node& device) {
    const bool old_form_only =
        text_of(device, "ignore") == "true" || device.find("bridgePort") ||
        device.find_path({"bond", "deviceSelectors"}) || device.find_path({"bond", "primary"}) ||
        device.find_path({"bond", "adActorSystem"}) || device.find_path({"vip", "equinixMetal"});
    if (!old_form_only) read_old_interface(device);
    return !old_form_only;
  });
  flatten(devices, "machine.network.interfaces");
  for (const yaml::Node& host : take_from(network, "extraHostEntries").items) {
    if (const yaml::Node* aliases = host.find("aliases")) {
      flatten(*aliases, "host " + text_of(host, "ip"));
    }
  }
  for (const yaml::Node& server : take_from(network, "nameservers").items) {
    set("nameserver " + server.text, "");
  }
  const std::string hostname = take_from(network, "hostname").text;
  if (!hostname.empty()) set("hostname", hostname);
}

void Reader::read_old_features(yaml::Node& features) {
  const yaml::Node prism = take_from(features, "kubePrism");
  const std::string enabled = text_of(prism, "enabled");
  const std::string port = text_of(prism, "port");
  if (enabled == "true") set("kubeprism", port.empty() ? "7445" : port);
  if (of_.patch && enabled == "false") set("kubeprism", "off");
  if (of_.patch && enabled.empty() && !port.empty()) set("kubeprism", port);
  const bool stable = take_from(features, "stableHostname").text == "true";
  if (stable && !settings_.contains("hostname")) set("hostname", "stable");
  yaml::Node access = take_from(features, "kubernetesTalosAPIAccess");
  const bool off = take_from(access, "enabled").text == "false";
  if (off && of_.patch) set("Talos API access", "off");
  if (!off && !worker()) flatten(access, "KubeTalosAPIAccessConfig");
}

void Reader::read_old_registries(const yaml::Node& registries) {
  if (const yaml::Node* mirrors = registries.find("mirrors")) {
    for (const yaml::Entry& host : mirrors->entries) {
      const std::string path = text_of(host.value, "overridePath");
      const yaml::Node* urls = host.value.find("endpoints");
      for (const yaml::Node& url : urls ? urls->items : std::vector<yaml::Node>{}) {
        set(fmt::format("mirror {} {}", host.key.text, url.text), path);
      }
      const std::string skip = text_of(host.value, "skipFallback");
      if (!skip.empty()) set("mirror " + host.key.text + " skipFallback", skip);
    }
  }
  const yaml::Node* configs = registries.find("config");
  for (const yaml::Entry& host : configs ? configs->entries : std::vector<yaml::Entry>{}) {
    const std::string name = "registry " + host.key.text;
    const auto pem = [&](std::initializer_list<std::string_view> keys, std::string_view what) {
      const yaml::Node* value = host.value.find_path(keys);
      if (value && !value->text.empty())
        set(fmt::format("{} {}", name, what), decoded(value->text));
    };
    pem({"tls", "clientIdentity", "crt"}, "cert");
    pem({"tls", "clientIdentity", "key"}, "key");
    pem({"tls", "ca"}, "ca");
    const yaml::Node* skip = host.value.find_path({"tls", "insecureSkipVerify"});
    if (skip) set(name + " insecure", skip->text);
    if (const yaml::Node* auth = host.value.find("auth")) flatten(*auth, name + " auth");
  }
}

void Reader::read_old_files(const yaml::Node& files) {
  std::size_t others = 0;
  for (const yaml::Node& file : files.items) {
    if (text_of(file, "path") == "/etc/cri/conf.d/20-customization.part") {
      set("cri customization", text_of(file, "content"));
    } else {
      flatten(file, fmt::format("machine.files[{}]", others++));
    }
  }
}

void Reader::read_old_machine(yaml::Node& machine) {
  if (yaml::Node* install = part(machine, "install")) {
    const std::string match = disk_match(*install);
    if (!match.empty()) set("install disk", match);
    const yaml::Node* selector = install->find("diskSelector");
    const bool by_name = selector && selector->find("name");
    if (!by_name) take_from(*install, "diskSelector");
    take_from(*install, "disk");
  }
  if (yaml::Node* network = part(machine, "network")) read_old_network(*network);
  if (yaml::Node* features = part(machine, "features")) read_old_features(*features);
  read_old_registries(take_from(machine, "registries"));
  read_old_files(take_from(machine, "files"));
  if (yaml::Node* kernel = part(machine, "kernel")) {
    for (const yaml::Node& module : take_from(*kernel, "modules").items) {
      const std::string name = "module " + text_of(module, "name");
      set(name, "");
      if (const yaml::Node* parameters = module.find("parameters")) flatten(*parameters, name);
    }
  }
  yaml::Node pods = take_from(machine, "pods");
  std::erase_if(pods.items, [&](const yaml::Node& pod) {
    const yaml::Node* name = pod.find_path({"metadata", "name"});
    if (name) flatten(pod, "static pod " + name->text);
    return name != nullptr;
  });
  flatten(pods, "machine.pods");
}

void Reader::read_old_api_server(yaml::Node& server) {
  for (const yaml::Node& plugin : take_from(server, "admissionControl").items) {
    const std::string name = "admission " + text_of(plugin, "name");
    set(name, "");
    if (const yaml::Node* body = plugin.find("configuration")) flatten(*body, name);
  }
  for (const yaml::Node& item : take_from(server, "authorizationConfig").items) {
    const std::string type = text_of(item, "type");
    const bool builtin = type == "Node" || type == "RBAC";
    const std::string name = "authorizer " + (builtin ? type : text_of(item, "name"));
    set(name, builtin ? "" : type);
    if (const yaml::Node* webhook = item.find("webhook")) flatten(*webhook, name);
  }
}

/// What Talos does not look at on a worker.
void Reader::read_old_worker(yaml::Node& cluster) {
  const yaml::Node ca = take_from(cluster, "ca");
  if (ca.find("crt")) set("accepted CA " + decoded(text_of(ca, "crt")), "");
  for (const char* key :
       {"aggregatorCA", "serviceAccount", "apiServer", "controllerManager", "scheduler", "proxy",
        "coreDNS", "allowSchedulingOnMasters", "allowSchedulingOnControlPlanes",
        "secretboxEncryptionSecret", "aescbcEncryptionSecret"}) {
    take_from(cluster, key);
  }
  if (yaml::Node* plane = part(cluster, "controlPlane")) take_from(*plane, "localAPIServerPort");
  if (yaml::Node* network = part(cluster, "network")) take_from(*network, "cni");
}

void Reader::read_old_cluster(yaml::Node& cluster) {
  kubernetes_ = kubernetes_ || cluster.find("ca") || cluster.find("apiServer");
  if (worker()) read_old_worker(cluster);
  const std::string box = take_from(cluster, "secretboxEncryptionSecret").text;
  const std::string aes = take_from(cluster, "aescbcEncryptionSecret").text;
  if (!box.empty()) set("etcd key key2 secretbox", box);
  if (!aes.empty()) set("etcd key key1 aescbc", aes);
  const yaml::Node discovery = take_from(cluster, "discovery");
  const yaml::Node* off = discovery.find_path({"registries", "service", "disabled"});
  const yaml::Node* endpoint = discovery.find_path({"registries", "service", "endpoint"});
  if (text_of(discovery, "enabled") == "true" && !(off && off->text == "true")) {
    const bool own = endpoint && !endpoint->text.empty();
    set("discovery", own ? endpoint->text : "https://discovery.talos.dev/");
  } else if (of_.patch && discovery.find("enabled")) {
    set("discovery", "off");
  }
  const std::string masters = take_from(cluster, "allowSchedulingOnMasters").text;
  const std::string planes = take_from(cluster, "allowSchedulingOnControlPlanes").text;
  if (!planes.empty() || !masters.empty()) set("schedulable", planes.empty() ? masters : planes);
  if (yaml::Node* network = part(cluster, "network")) {
    if (yaml::Node* cni = part(*network, "cni")) {
      const std::string name = take_from(*cni, "name").text;
      if (!name.empty()) set("cni", name == "flannel" ? "flannel" : "other");
      for (const yaml::Node& url : take_from(*cni, "urls").items) {
        if (name == "custom") set("manifest " + url.text, "");
      }
    }
  }
  for (const yaml::Node& ca : take_from(cluster, "acceptedCAs").items) {
    set("accepted CA " + decoded(text_of(ca, "crt")), "");
  }
  if (yaml::Node* server = part(cluster, "apiServer")) read_old_api_server(*server);
  const yaml::Node headers = take_from(cluster, "extraManifestHeaders");
  for (const yaml::Node& url : take_from(cluster, "extraManifests").items) {
    set("manifest " + url.text, "");
    flatten(headers, "manifest " + url.text);
  }
  for (const yaml::Node& manifest : take_from(cluster, "inlineManifests").items) {
    set("inline manifest " + text_of(manifest, "name"), text_of(manifest, "contents"));
  }
}

void Reader::read_old(yaml::Node document) {
  if (yaml::Node* machine = part(document, "machine")) read_old_machine(*machine);
  if (yaml::Node* cluster = part(document, "cluster")) read_old_cluster(*cluster);
  flatten(document, "");
}

}  // namespace ichor::migrate
