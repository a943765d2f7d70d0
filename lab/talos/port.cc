#include "lab/talos/port.h"

#include <string>
#include <utility>

#include "secrets/issue.h"

namespace ichor::lab {

namespace {

constexpr Duration kServerLifetime = std::chrono::hours(24);

WallTime a_bit_ago(WallTime now) { return {now.unix_ms - 60'000}; }

}  // namespace

Result<pki::CertificateAndKey> signing_authority(Site& site, const ConfigView& config) {
  if (!config.os_ca.key.empty()) return config.os_ca;
  for (const auto& machine : site.machines()) {
    const auto other = machine->config();
    if (other && !other->os_ca.key.empty() &&
        other->os_ca.certificate == config.os_ca.certificate) {
      return other->os_ca;
    }
  }
  return fail(Errc::invalid, "no control plane has the key of the authority");
}

TalosPort::TalosPort(Site& site, Machine& machine, std::uint16_t port, Handover handover,
                     FaceGone face_gone)
    : site_(site),
      machine_(machine),
      port_(port),
      handover_(std::move(handover)),
      face_gone_(std::move(face_gone)) {}

TalosPort::Look TalosPort::wanted() const {
  const sim::Node& node = machine_.node();
  Look look;
  // A machine that is off keeps its address: it can be made silent there.
  look.address = site_.loopback(IpAddress(machine_.home())).value();
  look.up = node.listener() != sim::Listener::silent;
  switch (node.listener()) {
    case sim::Listener::maintenance: look.face = Face::maintenance; break;
    case sim::Listener::apid: look.face = Face::apid; break;
    default: return look;
  }
  look.key =
      node.fingerprint().value() + "\n" + node.boot_id().value() + "\n" + node.hostname().value();
  look.key += "\n" + std::to_string(machine_.faults.keys_made);
  if (machine_.faults.foreign_ca) look.key += "\nforeign";
  return look;
}

Result<void> TalosPort::refresh() {
  Look look = wanted();
  if (look == look_) return {};
  if (look_.face != Face::closed) leave_face();
  const bool off = machine_.node().listener() == sim::Listener::silent;
  if (gate_ && (off || look.face == Face::apid || gate_->address() != look.address)) {
    gate_->cut_all();
  }
  if (auto leased = settle_lease(look.address, look.up); !leased) return leased;
  if (!gate_ || gate_->address() != look.address) {
    gate_ = std::make_unique<Gate>(site_.clock().io(), look.address, port_,
                                   [this](const std::shared_ptr<Tunnel>& tunnel, const Peer& peer) {
                                     return handover_(machine_, tunnel, peer,
                                                      look_.face == Face::maintenance);
                                   });
    apply_faults();
  }
  look_ = std::move(look);
  if (look_.face == Face::closed) return {};
  const auto context = make_context(look_);
  if (!context) {
    look_ = {};  // a worker whose authority is not there yet tries again with the next change
    return forward_error(context);
  }
  return gate_->open(*context);
}

Result<void> TalosPort::settle_lease(const std::string& address, bool up) {
  if (!up) {
    lease_.release();
    return {};
  }
  if (lease_.address() == address) return {};
  auto lease = site_.lease(address);
  if (!lease) return forward_error(lease);
  lease_ = *std::move(lease);
  return {};
}

void TalosPort::leave_face() {
  fingerprint_.clear();
  gate_->close();
  // Replies that are on their way still arrive. A connection with an open stream stays as it is and
  // silent, as the maintenance server of Talos leaves it.
  face_gone_(machine_);
}

void TalosPort::apply_faults() {
  if (!gate_) return;
  gate_->set_refusing(machine_.faults.refuse);
  gate_->set_silent(machine_.faults.silent);
  gate_->slow_down(machine_.faults.delay, machine_.faults.bytes_per_s);
}

void TalosPort::cut_all() {
  if (gate_) gate_->cut_all();
}

void TalosPort::hush_all() {
  if (gate_) gate_->hush_all();
}

Result<std::shared_ptr<const TlsContext>> TalosPort::make_context(const Look& look) {
  const auto config = machine_.config();
  const bool maintenance = look.face == Face::maintenance;
  if (!maintenance && !config) return fail(Errc::invalid, "apid runs without a config");
  auto certificate = maintenance ? maintenance_certificate() : apid_certificate(*config);
  if (!certificate) return forward_error(certificate);
  auto fingerprint = pki::fingerprint_of(certificate->certificate);
  if (!fingerprint) return forward_error(fingerprint);
  fingerprint_ = fingerprint->value();

  TlsSettings settings;
  settings.identity = std::move(*certificate);
  settings.protocol = "h2";
  settings.protocol_required = true;
  if (!maintenance) {
    settings.clients = TlsSettings::Clients::required;
    settings.only_client_usage = true;
    settings.client_ca = config->os_ca.certificate;
    for (const std::string& accepted : config->accepted_cas) settings.client_ca += accepted;
  }
  return TlsContext::make(std::move(settings));
}

Result<pki::CertificateAndKey> TalosPort::maintenance_certificate() const {
  const WallTime now = site_.clock().wall();
  // A fresh, unknown authority signs it, and only the leaf is shown.
  const pki::CertificateAndKey authority =
      pki::make_ca("", pki::KeyKind::ed25519, a_bit_ago(now), kServerLifetime);
  pki::LeafRequest request;
  request.common_name = "maintenance-service.talos.dev";
  request.server_auth = true;
  request.dns_names = {machine_.node().hostname().value()};
  request.ip_addresses = {machine_.node().address().value(), look_.address, "127.0.0.1", "::1"};
  request.not_before = a_bit_ago(now);
  request.lifetime = kServerLifetime;
  return pki::issue(authority, request, pki::KeyKind::ed25519);
}

Result<pki::CertificateAndKey> TalosPort::apid_authority(const ConfigView& config) const {
  if (!machine_.faults.foreign_ca) return signing_authority(site_, config);
  return pki::make_ca("talos", pki::KeyKind::ed25519, a_bit_ago(site_.clock().wall()),
                      kServerLifetime);
}

Result<pki::CertificateAndKey> TalosPort::apid_certificate(const ConfigView& config) const {
  const auto authority = apid_authority(config);
  if (!authority) return forward_error(authority);
  const std::string hostname = machine_.node().hostname().value();
  pki::LeafRequest request;
  request.common_name = hostname;
  request.server_auth = true;
  request.dns_names = {hostname};
  request.ip_addresses = {machine_.node().address().value()};
  if (look_.address != request.ip_addresses.front()) {
    request.ip_addresses.push_back(look_.address);
  }
  for (const std::string& name : config.cert_sans) {
    const bool numeric = name.find_first_not_of("0123456789.") == std::string::npos ||
                         name.find(':') != std::string::npos;
    (numeric ? request.ip_addresses : request.dns_names).push_back(name);
  }
  request.not_before = a_bit_ago(site_.clock().wall());
  request.lifetime = kServerLifetime;
  const auto key = pki::PrivateKey::from_pem(authority->key);
  if (!key) return forward_error(key);
  return pki::issue(*authority, request, key->kind());
}

}  // namespace ichor::lab
