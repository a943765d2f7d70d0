#include "lab/kube/service.h"

#include <algorithm>
#include <utility>

#include "base/url.h"
#include "lab/kube/model.h"
#include "lab/kube/objects.h"
#include "lab/net/socket_inside.h"
#include "secrets/issue.h"

namespace ichor::lab {

namespace {

constexpr Duration kServerLifetime = std::chrono::hours(24 * 365);
/// The DaemonSet whose pods are a node's network, where the config has none.
constexpr std::string_view kNetwork = "cilium";

bool is_address(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

/// The first address of the services' network, which certificates must carry.
std::string first_service(const std::string& network) {
  const std::string base = network.substr(0, network.find('/'));
  return base.substr(0, base.rfind('.') + 1) + "1";
}

/// The cluster may vanish while connections are open.
HttpAnswerer answerer_of(std::weak_ptr<KubeCluster> weak, Clock& clock) {
  return [weak = std::move(weak), &clock](const KubeRequest& request,
                                          const std::function<void(KubeReply)>& respond) {
    const auto cluster = weak.lock();
    if (!cluster) return respond({.status = 0});
    cluster->refresh();
    KubeReply reply = answer(request, *cluster, clock.wall());
    if (reply.watch) {
      reply.watch->version_now = [weak, last = reply.watch->version] {
        const auto alive = weak.lock();
        return alive ? std::to_string(alive->api().version()) : last;
      };
    }
    respond(std::move(reply));
  };
}

}  // namespace

KubeService::KubeService(Site& site, std::uint16_t port) : site_(site), port_(port) {}
KubeService::~KubeService() { ports_.clear(); }

std::map<std::string, Machine*> KubeService::wanted() {
  std::map<std::string, Machine*> addresses;
  for (const auto& machine : site_.machines()) {
    const auto config = machine->config();
    if (!config || !machine->node().api_server_ready()) continue;
    if (config->kubernetes_ca.key.empty()) continue;
    addresses[site_.loopback(machine->node().address()).value()] = machine.get();
  }
  // A shared address is held by the first API server that answers.
  for (const auto& [address, machine] : std::map(addresses)) {
    const auto config = machine->config();
    for (const std::string& shared : {host_of(config->endpoint), config->vip}) {
      if (is_address(shared)) addresses.emplace(site_.loopback(IpAddress(shared)).value(), machine);
    }
  }
  return addresses;
}

void KubeService::refresh() {
  const std::map<std::string, Machine*> addresses = wanted();
  std::erase_if(ports_, [&](const auto& entry) { return !addresses.contains(entry.first); });
  std::set<std::string> alive;
  for (const auto& [address, machine] : addresses) {
    open(address, ports_[address], *machine);
    alive.insert(machine->config()->cluster_id);
  }
  // A cluster whose API servers are away keeps its data, as long as a disk has it.
  for (const auto& machine : site_.machines()) {
    const auto config = machine->last_config();
    if (config && machine->node().disk().kubelet_registered) alive.insert(config->cluster_id);
  }
  std::erase_if(clusters_, [&](const auto& entry) { return !alive.contains(entry.first); });
  for (const auto& [id, cluster] : clusters_) cluster->refresh();
}

void KubeService::open(const std::string& address, Port& port, Machine& machine) {
  const auto config = machine.config();
  const std::string identity = machine.name().value() + "\n" + config->kubernetes_ca.certificate +
                               "\n" + machine.node().boot_id().value();
  if (port.identity == identity) return;
  port.identity = identity;
  port.machine = &machine;
  auto context = make_context(address, machine);
  if (!context) return;
  auto lease = site_.lease(address);
  if (!lease) return;
  port.lease = *std::move(lease);
  const std::shared_ptr<KubeCluster> cluster = cluster_of(machine);
  port.gate = std::make_unique<Gate>(
      site_.clock().io(), address, port_,
      [this, weak = std::weak_ptr(cluster)](const std::shared_ptr<Tunnel>&,
                                            const Peer& peer) -> std::unique_ptr<Inside> {
        auto pair = SocketInside::make(site_.clock().io().get_executor());
        if (!pair) return nullptr;
        serve_http(site_.clock(), std::move(pair->other), peer, answerer_of(weak, site_.clock()));
        return std::move(pair->inside);
      });
  (void)port.gate->open(*context);
  apply_faults(machine);
}

std::shared_ptr<KubeCluster> KubeService::cluster_of(Machine& machine) {
  const auto config = machine.config();
  std::shared_ptr<KubeCluster>& cluster = clusters_[config->cluster_id];
  if (!cluster) {
    cluster = std::make_shared<KubeCluster>(site_.clock(), config->kubernetes_version());
    KubeCluster* self = cluster.get();
    cluster->refresh = [this, id = config->cluster_id, self] {
      for (const auto& [address, port] : ports_) {
        const auto theirs = port.machine->config();
        if (!theirs || theirs->cluster_id != id) continue;
        KubeView view = view_cluster(site_, *port.machine);
        self->displace(view);
        self->restart(view);
        self->follow(objects_of(view));
        return;
      }
    };
    cluster->workloads().on_ready = [this, id = config->cluster_id](
                                        const KubeRef& set, const std::vector<std::string>& nodes) {
      if (set.name == kNetwork) give_network(id, nodes);
    };
  }
  return cluster;
}

void KubeService::give_network(const std::string& cluster, const std::vector<std::string>& nodes) {
  for (const auto& [address, port] : ports_) {
    const auto config = port.machine->config();
    if (!config || config->cluster_id != cluster) continue;
    for (const KubeNode& node : view_cluster(site_, *port.machine).nodes) {
      const bool has = std::find(nodes.begin(), nodes.end(), node.name) != nodes.end();
      site_.fabric().give_network(node.machine->name(), has);
    }
    // Nodes call back when they are notified.
    site_.clock().call_at(site_.clock().now(), [this] { site_.fabric().changed(); });
    return;
  }
}

Result<std::shared_ptr<const TlsContext>> KubeService::make_context(const std::string& address,
                                                                    Machine& machine) {
  const auto config = machine.config();
  pki::LeafRequest request;
  request.organizations = {"kube-master"};
  request.common_name = "kube-apiserver";
  request.server_auth = true;
  request.dns_names = {"kubernetes",
                       "kubernetes.default",
                       "kubernetes.default.svc",
                       "kubernetes.default.svc." + config->dns_domain,
                       "localhost",
                       machine.node().hostname().value()};
  std::set<std::string> addresses = {address, "127.0.0.1", machine.node().address().value(),
                                     site_.loopback(machine.node().address()).value(),
                                     first_service(config->service_subnets.front())};
  std::vector<std::string> names = config->api_cert_sans;
  names.push_back(host_of(config->endpoint));
  names.push_back(config->vip);
  for (const std::string& name : names) {
    if (is_address(name)) {
      addresses.insert(name);
    } else if (!name.empty()) {
      request.dns_names.push_back(name);
    }
  }
  request.ip_addresses.assign(addresses.begin(), addresses.end());
  request.not_before = {site_.clock().wall().unix_ms - 60'000};
  request.lifetime = kServerLifetime;
  auto certificate = pki::issue(config->kubernetes_ca, request, pki::KeyKind::ecdsa_p256);
  if (!certificate) return forward_error(certificate);

  TlsSettings settings;
  settings.identity = std::move(*certificate);
  settings.clients = TlsSettings::Clients::optional;
  settings.client_ca = config->kubernetes_ca.certificate;
  settings.protocol = "http/1.1";
  settings.oldest_is_1_3 = false;
  return TlsContext::make(std::move(settings));
}

void KubeService::apply_faults(Machine& machine) {
  for (auto& [address, port] : ports_) {
    if (port.machine != &machine || !port.gate) continue;
    port.gate->set_refusing(machine.faults.refuse);
    port.gate->set_silent(machine.faults.silent);
    port.gate->slow_down(machine.faults.delay, machine.faults.bytes_per_s);
  }
}

void KubeService::cut(Machine& machine) {
  for (auto& [address, port] : ports_) {
    if (port.machine == &machine && port.gate) port.gate->cut_all();
  }
}

std::string KubeService::url() const {
  if (ports_.empty()) return "";
  const auto config = ports_.begin()->second.machine->config();
  const std::string shared =
      config ? site_.addresses().loopback(IpAddress(host_of(config->endpoint))).value() : "";
  const std::string address = ports_.contains(shared) ? shared : ports_.begin()->first;
  return "https://" + address + ":" + std::to_string(port_);
}

}  // namespace ichor::lab
