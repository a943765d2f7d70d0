#include "lab/proxmox/service.h"

#include <fmt/format.h>

#include "lab/hardware.h"
#include "lab/kube/http_connection.h"
#include "lab/net/socket_inside.h"
#include "lab/proxmox/machines.h"
#include "secrets/issue.h"

namespace ichor::lab {

namespace {

constexpr std::uint16_t kPort = 8006;
constexpr Duration kLifetime = std::chrono::hours(24 * 365);
/// Its place among the lab's addresses. No machine has it.
constexpr const char* kName = "proxmox.lab";

PveState fresh_state(Site& site) {
  PveState state;
  const auto ca =
      pki::make_ca("Proxmox Virtual Environment", pki::KeyKind::ecdsa_p256, site.clock().wall());
  state.ca_cert = ca.certificate;
  state.ca_key = std::string(ca.key.reveal());
  const std::uint64_t high = site.random().next();
  const std::uint64_t low = site.random().next();
  state.token =
      fmt::format("ichor@pve!lab={:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high & 0xffffffff,
                  high >> 32 & 0xffff, high >> 48 & 0xfff, low & 0xfff, low >> 12 & 0xffffffffffff);
  return state;
}

Result<PveState> load_state(Site& site, Store& store) {
  const auto text = store.read(kPveFile);
  if (!text) return forward_error(text);
  if (text->empty()) return fresh_state(site);
  auto state = pve_from_json(*text);
  if (!state) return fail(Errc::invalid, store.path() + "/" + kPveFile + " is damaged");
  return state;
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

std::vector<std::string> pool_of(const ClusterProfile& profile) {
  std::vector<std::string> taken = {profile.network.gateway, profile.network.vip};
  for (const NodePlan& node : profile.nodes) {
    taken.push_back(node.address.value());
    taken.push_back(node.maintenance_address.value());
  }
  return dhcp_pool(profile.network.node_cidr, taken);
}

Result<std::unique_ptr<ProxmoxService>> ProxmoxService::open(Site& site, Store& store,
                                                             const ClusterProfile& profile,
                                                             const ProviderPlan& plan) {
  auto state = load_state(site, store);
  if (!state) return forward_error(state);
  std::unique_ptr<ProxmoxService> service(new ProxmoxService(site));
  const std::string address = site.loopback(IpAddress(kName)).value();
  const std::vector<std::string> pool = pool_of(profile);
  const ProxmoxAccess access{fmt::format("https://{}:{}", address, kPort), state->ca_cert,
                             SecretString(state->token), joined(pool)};
  const std::vector<StateFile> files = {{kPveFile, to_json(*state)},
                                        {kAccessFile, to_json(access)}};
  if (auto written = replace_files(store.folder(), files); !written) {
    return forward_error(written);
  }
  service->cluster_ = std::make_shared<PveCluster>(
      site, PveCluster::Setup{plan, pool, sim::nearest_personality(profile.talos.version)},
      *std::move(state));
  service->cluster_->restore(store);
  if (auto listening = service->listen(address); !listening) {
    return forward_error(listening);
  }
  return service;
}

Result<void> ProxmoxService::listen(const std::string& address) {
  gate_ = std::make_unique<Gate>(
      site_.clock().io(), address, kPort,
      [this](const std::shared_ptr<Tunnel>&, const Peer& peer) -> std::unique_ptr<Inside> {
        auto pair = SocketInside::make(site_.clock().io().get_executor());
        if (!pair) return nullptr;
        serve_http(site_.clock(), std::move(pair->other), peer,
                   [weak = std::weak_ptr(cluster_)](const KubeRequest& request,
                                                    const std::function<void(KubeReply)>& respond) {
                     const auto cluster = weak.lock();
                     if (!cluster) return respond({.status = 0});
                     cluster->answer(request, respond);
                   });
        return std::move(pair->inside);
      });
  cluster_->on_port_fault = [this] { (void)settle_port(); };
  return settle_port();
}

Result<void> ProxmoxService::settle_port() {
  const bool expired = cluster_->has("pve-expired");
  pki::LeafRequest request;
  request.common_name = "pve.lab";
  request.organizations = {"PVE Cluster Node"};
  request.server_auth = true;
  request.dns_names = {"localhost", "pve.lab"};
  request.ip_addresses = {gate_->address(), "127.0.0.1"};
  const std::int64_t back_ms = expired ? 48 * 3'600'000LL : 60'000;
  request.not_before = {site_.clock().wall().unix_ms - back_ms};
  request.lifetime = expired ? Duration(std::chrono::hours(24)) : kLifetime;
  const pki::CertificateAndKey ca{cluster_->state().ca_cert,
                                  SecretString(cluster_->state().ca_key)};
  auto certificate = pki::issue(ca, request, pki::KeyKind::ecdsa_p256);
  if (!certificate) return forward_error(certificate);
  TlsSettings settings;
  settings.identity = *std::move(certificate);
  settings.protocol = "http/1.1";
  settings.oldest_is_1_3 = false;
  auto context = TlsContext::make(std::move(settings));
  if (!context) return forward_error(context);
  gate_->set_refusing(cluster_->has("pve-down"));
  return gate_->open(*context);
}

}  // namespace ichor::lab
