#include "engine/node_link.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "phase/discover.h"
#include "phase/maintenance_key.h"
#include "port/node_drain.h"
#include "wait/retry_table.h"

namespace ichor {

namespace {

/// The handshake itself said that this is not ours or that we are not welcome; waiting does not
/// help.
bool is_foreign(const CallError& error) {
  switch (error.tls) {
    case TlsVerdict::foreign_ca:
    case TlsVerdict::client_rejected:
    case TlsVerdict::wrong_pin:
    case TlsVerdict::changed_key:
    case TlsVerdict::expired: return true;
    case TlsVerdict::fine:
    case TlsVerdict::wants_client: return false;
  }
  return false;
}

/// A place in the turnstile, left when this goes.
struct Place {
  Turnstile* turnstile{nullptr};
  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { leave(); }
  void leave() {
    if (turnstile) std::exchange(turnstile, nullptr)->leave();
  }
};

PeerDemand one_of(const Fingerprint& key, const Fingerprint* or_this) {
  PeerDemand demand;
  demand.maintenance_pins.push_back(key);
  if (or_this) demand.maintenance_pins.push_back(*or_this);
  return demand;
}

void note_etcd_service(const std::vector<ServiceStatus>& services, EtcdView& etcd) {
  for (const ServiceStatus& service : services) {
    if (service.id != "etcd") continue;
    etcd.service_state = service.state;
    etcd.service_healthy = service.state == "Running" && service.healthy;
  }
}

}  // namespace

void NodeLink::drop() {
  watch_.reset();
  session_.reset();
  identity_.reset();
  key_change_.reset();
  clock_was_set_ = true;
}

void NodeLink::take_over(NodeLink& other) {
  if (session_ || !other.session_) return;
  session_ = std::move(other.session_);
  identity_ = std::move(other.identity_);
  key_change_ = std::move(other.key_change_);
  clock_was_set_ = other.clock_was_set_;
  last_address_ = other.last_address_;
  other.drop();  // its watch rings a bell that no task listens to any more
}

void NodeLink::note(NodeView& view, CallError error) {
  const bool lost = error.progress != Progress::answered;
  if (!view.trouble) view.trouble = std::move(error);
  if (!lost) return;
  view.presence = Presence::silent;
  drop();
}

bool NodeLink::is_our_machine(const Identity& identity) const {
  if (!identity_conflict(plan_, identity).empty()) return false;
  const BoundIdentity* bound = facts_.bound(plan_.name);
  return !bound || bound->identity.same_machine(identity);
}

bool NodeLink::binds_key() const {
  const Trust trust = profile_.trust_in(plan_);
  return trust == Trust::tofu || trust == Trust::strict;
}

const Fingerprint& NodeLink::bound_key() const {
  static const Fingerprint none;
  const BoundIdentity* bound = facts_.bound(plan_.name);
  return bound ? bound->fingerprint : none;
}

bool NodeLink::shows_bound_key() const {
  if (!session_ || session_->peer().mode == PeerMode::configured || !binds_key()) return true;
  return session_->peer().fingerprint == bound_key();
}

Task<bool> NodeLink::try_addresses(Context context, std::vector<IpAddress> addresses,
                                   NodeView& view) {
  for (const IpAddress& address : addresses) {
    const bool opened = co_await open_at(context, address, view);
    if (opened || context.cancelled()) co_return true;
  }
  // The bound key answers at none of the addresses.
  const bool other_key = view.trouble && view.trouble->tls == TlsVerdict::changed_key;
  if (other_key && !bound_key().value().empty()) co_await weigh_key(context, view);
  co_return session_ != nullptr;
}

Task<void> NodeLink::open(Context context, NodeView& view) {
  std::vector<IpAddress> known;
  if (has_no_address()) {
    // Its final address may not answer yet, and waiting there costs seconds.
    known = co_await seek(context, known);
    const bool opened = co_await try_addresses(context, known, view);
    if (opened) co_return;
  }
  std::vector<IpAddress> others = candidates();
  std::erase_if(others, [&](const IpAddress& address) {
    return std::find(known.begin(), known.end(), address) != known.end();
  });
  bool opened = co_await try_addresses(context, others, view);
  overlook_successor(view);
  if (opened || view.presence != Presence::silent) co_return;
  if (!is_lost(context.now())) co_return;
  known.insert(known.end(), others.begin(), others.end());
  std::vector<IpAddress> found = co_await seek(context, known);
  opened = co_await try_addresses(context, std::move(found), view);
  if (!opened) overlook_successor(view);
}

Task<CallResult<std::unique_ptr<TalosSession>>> NodeLink::dial(Context context, IpAddress address,
                                                               PeerDemand demand) {
  Place place;
  if (world_.openings) {
    // The time to connect starts after the wait: who stands in the queue has not been tried yet.
    const bool entered = co_await world_.openings->enter(context);
    if (!entered) {
      co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::fine,
                                         Code::cancelled, "cancelled before it was dialled"});
    }
    place.turnstile = world_.openings;
  }
  co_return co_await world_.talos.open(context.within(profile_.budgets.connect), std::move(address),
                                       std::move(demand));
}

Task<bool> NodeLink::open_at(Context context, IpAddress address, NodeView& view) {
  auto opened = co_await dial(context, address, maintenance_demand(profile_, plan_, facts_));
  if (!opened) {
    CallError error = std::move(opened).error();
    if (error.tls == TlsVerdict::wrong_pin && binds_key()) error.tls = TlsVerdict::changed_key;
    const bool foreign = is_foreign(error);
    // A verdict on who answers outweighs silence elsewhere.
    if (foreign || (!view.trouble && view.presence == Presence::silent)) {
      view.trouble = std::move(error);
      view.address = address;
    }
    if (foreign) view.presence = Presence::foreign;
    co_return false;
  }
  const bool proved = co_await prove(context, *std::move(opened), address, view);
  if (!proved) co_return false;
  const bool maintenance = session_->peer().mode == PeerMode::maintenance;
  if (!maintenance || !binds_key() || session_->peer().fingerprint == bound_key()) co_return true;
  // A key that is about to be bound.
  co_return co_await settle_key(context, view);
}

Task<bool> NodeLink::prove(Context context, std::unique_ptr<TalosSession> session,
                           IpAddress address, NodeView& view) {
  session_ = std::move(session);
  auto identity = co_await session_->identity(context.within(profile_.budgets.call));
  if (!identity) {
    // An answer outweighs silence at other addresses.
    if (identity.error().progress == Progress::answered) view.trouble.reset();
    note(view, std::move(identity).error());
    drop();
    co_return false;
  }
  view.address = address;
  view.identity = *identity;
  if (!is_our_machine(*identity)) {
    view.presence = Presence::stranger;
    drop();
    co_return false;
  }
  identity_ = *std::move(identity);
  last_address_ = address;
  silent_since_.reset();
  view.trouble.reset();
  co_return true;
}

Task<CallResult<Fingerprint>> NodeLink::key_now(Context context, PeerDemand demand) {
  const auto opened = co_await dial(context, last_address_, std::move(demand));
  if (!opened) co_return forward_error(opened);
  if ((*opened)->peer().mode == PeerMode::maintenance) co_return (*opened)->peer().fingerprint;
  co_return tl::unexpected(CallError{Call::open, Progress::not_sent, TlsVerdict::fine,
                                     Code::aborted, "the node has just left maintenance mode"});
}

Task<std::optional<Known>> NodeLink::read_clock(Context context, NodeView& view) {
  const std::shared_ptr<TalosSession> session = session_;
  auto synced = co_await session->time_synced(context.within(profile_.budgets.call));
  if (synced) co_return *synced ? Known::yes : Known::no;
  // Any other answer passes.
  const bool unserved =
      synced.error().code == Code::unimplemented || synced.error().code == Code::permission_denied;
  if (unserved) co_return Known::unknown;
  look_again(view, std::move(synced).error());
  co_return std::nullopt;
}

Task<bool> NodeLink::settle_key(Context context, NodeView& view) {
  const std::optional<Known> clock = co_await read_clock(context, view);
  if (!clock) co_return false;
  clock_was_set_ = *clock != Known::no;
  if (*clock != Known::yes) co_return true;
  // It may have set its clock between the handshake and this answer, and made another key then.
  const auto again = co_await key_now(context, one_of(session_->peer().fingerprint, nullptr));
  if (!again) look_again(view, again.error());
  co_return again.has_value();
}

void NodeLink::look_again(NodeView& view, CallError error) {
  drop();
  view.presence = Presence::silent;
  view.trouble = std::move(error);
  view.trouble->tls = TlsVerdict::fine;
}

bool NodeLink::takes_config(Context context) const {
  const MutationFact* sent = facts_.last(Call::apply_configuration, plan_.name);
  return sent && sent->outcome != OutcomeKind::refused && context.now() - sent->at < kSettleTime;
}

Task<void> NodeLink::weigh_key(Context context, NodeView& view) {
  const CallError refused = *view.trouble;
  const Fingerprint before = bound_key();
  const IpAddress address = view.address;
  const auto stop_at = [&](const std::string& why) {
    drop();
    view.presence = Presence::foreign;
    view.trouble = refused;
    view.trouble->text = fmt::format("it shows the key {}, and {} was bound to it; {}",
                                     refused.shown.value(), before.value(), why);
  };
  if (profile_.trust_in(plan_) == Trust::strict) {
    co_return stop_at("trust: strict accepts no other key by itself");
  }
  view.presence = Presence::silent;
  auto opened = co_await dial(context, address, one_of(refused.shown, nullptr));
  // Neither key answers now, so the next look decides.
  if (!opened) co_return look_again(view, std::move(opened).error());
  if ((*opened)->peer().mode == PeerMode::configured) co_return look_again(view, refused);
  const bool proved = co_await prove(context, *std::move(opened), address, view);
  if (!proved) co_return;
  const std::optional<Known> clock = co_await read_clock(context, view);
  if (!clock) co_return;
  const auto still = co_await key_now(context, one_of(before, &refused.shown));
  if (!still) co_return look_again(view, still.error());
  const NewKeyClaim claim{*identity_, *clock, *still == before};
  const auto evidence = evidence_of_reboot(*facts_.bound(plan_.name), claim);
  if (!evidence && takes_config(context)) {
    CallError error = refused;
    error.text = "it shows another key while it takes its config";
    co_return look_again(view, std::move(error));
  }
  if (!evidence) co_return stop_at(evidence.error().message);
  clock_was_set_ = *clock != Known::no;
  key_change_ = KeyChange{before, *evidence};
}

Task<NodeView> NodeLink::look(Context context, Reads reads) {
  NodeView view;
  view.node = plan_.name;
  // Another actor of this run may have bound a newer key meanwhile.
  const bool outdated = session_ && !shows_bound_key() && !bound_key().value().empty() &&
                        !(key_change_ && key_change_->before == bound_key());
  if (outdated) drop();
  if (!session_) co_await open(context, view);
  view.at = context.now();
  if (!session_) co_return view;

  const std::shared_ptr<TalosSession> session = session_;
  const bool configured = session->peer().mode == PeerMode::configured;
  view.presence = configured ? Presence::configured : Presence::maintenance;
  view.address = last_address_;
  view.fingerprint = session->peer().fingerprint;
  view.clock_was_set = clock_was_set_;
  view.key_change = key_change_;
  view.identity = identity_;

  if (reads.status) {
    auto status = co_await session->machine_status(context.within(profile_.budgets.call));
    if (!status)
      note(view, std::move(status).error());
    else
      view.status = *std::move(status);
  }
  if (reads.version && session_) {
    take(view, co_await session->version(context.within(profile_.budgets.call)), view.version);
  }
  co_await read_machine(context, reads, view);
  if (reads.config && session_ && configured) {
    auto config = co_await session->config_digest(context.within(profile_.budgets.call));
    if (!config)
      note(view, std::move(config).error());
    else {
      view.config = *config;
      view.config_read = true;
    }
  }
  const bool has_etcd = configured && plan_.role == Role::control_plane;
  if (reads.etcd_data && session_ && has_etcd) co_await read_etcd_data(context, view);
  if (reads.etcd && session_ && has_etcd) co_await read_etcd(context, view);
  if (reads.etcd_health && session_ && has_etcd) co_await read_etcd_health(context, view);
  if (reads.config_text && session_ && configured) co_await read_config_text(context, view);
  if (reads.kube_node && world_.drain && configured) co_await read_kube_node(context, view);
  view.config_read = view.config_read || (!configured && session_);
  co_return view;
}

Task<void> NodeLink::read_config_text(Context context, NodeView& view) {
  const std::shared_ptr<TalosSession> session = session_;
  auto config = co_await session->machine_config(context.within(profile_.budgets.call));
  if (!config) {
    note(view, std::move(config).error());
  } else if (*config) {
    view.config_text = std::make_shared<const SecretString>(**std::move(config));
  }
}

Task<void> NodeLink::read_kube_node(Context context, NodeView& view) {
  auto node = co_await world_.drain->look(context.within(profile_.budgets.call), plan_.name);
  if (node) {
    view.kube = *std::move(node);
  } else if (node.error().code == Code::not_found) {
    view.kube.emplace();
  } else {
    // No trouble of the node's: it has answered.
    view.kube_trouble = to_text(node.error());
  }
}

template <class T>
void NodeLink::take(NodeView& view, CallResult<T> answer, std::optional<T>& target) {
  if (answer) {
    target = *std::move(answer);
    return;
  }
  const bool unserved = answer.error().progress == Progress::answered &&
                        rule_for(answer.error()).reaction == Reaction::give_up;
  if (!unserved) note(view, std::move(answer).error());
}

Task<void> NodeLink::read_machine(Context context, Reads reads, NodeView& view) {
  const std::shared_ptr<TalosSession> session = session_;
  const Duration limit = profile_.budgets.call;
  if (reads.disks && session_) {
    take(view, co_await session->disks(context.within(limit)), view.disks);
  }
  if (reads.hardware && session_) {
    take(view, co_await session->hardware(context.within(limit)), view.hardware);
  }
  if (reads.time && session_) {
    take(view, co_await session->time_synced(context.within(limit)), view.time_synced);
  }
  if (reads.upgrade && session_) {
    take(view, co_await session->upgrade_state(context.within(limit)), view.upgrade);
  }
  if (reads.services && session_) {
    take(view, co_await session->services(context.within(limit)), view.services);
  }
}

Task<bool> NodeLink::read_etcd_data(Context context, NodeView& view) {
  const std::shared_ptr<TalosSession> session = session_;
  auto has_data = co_await session->etcd_has_data(context.within(profile_.budgets.call));
  if (!has_data) {
    note(view, std::move(has_data).error());
    co_return false;
  }
  view.etcd.has_data = *has_data ? Known::yes : Known::no;
  co_return true;
}

Task<bool> NodeLink::read_etcd(Context context, NodeView& view) {
  const bool told = co_await read_etcd_data(context, view);
  if (!told) co_return false;
  const bool read = co_await read_etcd_service(context, view);
  // Without data there is no etcd to ask, and the answer would only be an error.
  if (!read || view.etcd.has_data != Known::yes) co_return read;
  co_return co_await read_etcd_members(context, view);
}

Task<bool> NodeLink::read_etcd_service(Context context, NodeView& view) {
  const std::shared_ptr<TalosSession> session = session_;
  auto services = co_await session->services(context.within(profile_.budgets.call));
  if (!services) {
    note(view, std::move(services).error());
    co_return false;
  }
  note_etcd_service(*services, view.etcd);
  view.services = *std::move(services);
  co_return true;
}

Task<bool> NodeLink::read_etcd_members(Context context, NodeView& view) {
  const std::shared_ptr<TalosSession> session = session_;
  auto members = co_await session->etcd_members(context.within(profile_.budgets.call));
  if (!members) {
    note(view, std::move(members).error());
    co_return false;
  }
  view.etcd.members = *std::move(members);
  co_return true;
}

Task<void> NodeLink::read_etcd_health(Context context, NodeView& view) {
  const std::shared_ptr<TalosSession> session = session_;
  const bool service = co_await read_etcd_service(context, view);
  // An etcd that is not healthy yet answers its own questions with errors only. One that is started
  // again and again may have lost its disk.
  const bool down = view.etcd.service_state == "Waiting" || view.etcd.service_state == "Failed";
  if (service && down) co_await read_machine(context, {.disks = true}, view);
  if (!service || !view.etcd.service_healthy) co_return;
  const bool members = co_await read_etcd_members(context, view);
  if (!members) co_return;
  auto status = co_await session->etcd_status(context.within(profile_.budgets.call));
  if (!status) {
    note(view, std::move(status).error());
    co_return;
  }
  view.etcd.status = *std::move(status);
  auto alarms = co_await session->etcd_alarms(context.within(profile_.budgets.call));
  if (!alarms) {
    note(view, std::move(alarms).error());
    co_return;
  }
  view.etcd.alarms = *std::move(alarms);
}

Task<void> NodeLink::listen(Context context) {
  if (!session_ || session_->peer().mode == PeerMode::maintenance) co_return;
  if (watch_ && watch_->alive()) co_return;
  watch_.reset();
  const std::shared_ptr<TalosSession> session = session_;
  auto watch = co_await session->watch(context.within(profile_.budgets.call), changed_);
  // Without a stream the poll interval is all there is; that is slower, not wrong.
  if (watch) watch_ = *std::move(watch);
}

}  // namespace ichor
