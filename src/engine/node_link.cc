#include "engine/node_link.h"

#include <algorithm>
#include <utility>

#include "phase/discover.h"
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
}

void NodeLink::take_over(NodeLink& other) {
  if (session_ || !other.session_) return;
  session_ = std::move(other.session_);
  identity_ = std::move(other.identity_);
  last_address_ = other.last_address_;
  other.drop();  // its watch rings a bell that nobody listens to any more
}

void NodeLink::note(NodeView& view, CallError error) {
  const bool lost = error.progress != Progress::answered;
  if (!view.trouble) view.trouble = std::move(error);
  if (!lost) return;
  view.presence = Presence::silent;
  drop();
}

std::vector<IpAddress> NodeLink::candidates() const {
  std::vector<IpAddress> addresses;
  const auto add = [&](const IpAddress& address) {
    const bool known = std::find(addresses.begin(), addresses.end(), address) != addresses.end();
    if (!address.value().empty() && !known) addresses.push_back(address);
  };
  add(last_address_);
  // Before its config a node can only be at its maintenance address, afterwards it moves.
  const bool applied = facts_.last(Call::apply_configuration, plan_.name) != nullptr;
  add(applied ? plan_.address : plan_.maintenance_address);
  add(applied ? plan_.maintenance_address : plan_.address);
  return addresses;
}

bool NodeLink::is_our_machine(const Identity& identity) const {
  if (!identity_conflict(plan_, identity).empty()) return false;
  const BoundIdentity* bound = facts_.bound(plan_.name);
  return !bound || bound->identity.same_machine(identity);
}

Task<void> NodeLink::open(Context context, NodeView& view) {
  const std::vector<IpAddress> addresses = candidates();
  for (const IpAddress& address : addresses) {
    const bool opened = co_await open_at(context, address, view);
    if (opened || context.cancelled()) co_return;
  }
}

Task<bool> NodeLink::open_at(Context context, IpAddress address, NodeView& view) {
  PeerDemand demand;
  if (profile_.trust == Trust::pin) {
    demand.maintenance_pins =
        profile_.pins.empty() ? std::vector<Fingerprint>{plan_.pin} : profile_.pins;
  }
  Place place;
  if (world_.openings) {
    // The time to connect starts after the wait: who stands in the queue has not been tried yet.
    const bool entered = co_await world_.openings->enter(context);
    if (!entered) co_return false;
    place.turnstile = world_.openings;
  }
  auto opened =
      co_await world_.talos.open(context.within(profile_.budgets.connect), address, demand);
  if (!opened) {
    const bool foreign = is_foreign(opened.error());
    // A verdict on who answers outweighs silence elsewhere.
    if (foreign || (!view.trouble && view.presence == Presence::silent)) {
      view.trouble = opened.error();
      view.address = address;
    }
    if (foreign) view.presence = Presence::foreign;
    co_return false;
  }
  place.leave();
  session_ = std::move(*opened);
  auto identity = co_await session_->identity(context.within(profile_.budgets.call));
  if (!identity) {
    // What somebody said outweighs silence elsewhere.
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
  view.trouble.reset();
  co_return true;
}

Task<NodeView> NodeLink::look(Context context, Reads reads) {
  NodeView view;
  view.node = plan_.name;
  if (!session_) co_await open(context, view);
  view.at = context.now();
  if (!session_) co_return view;

  const std::shared_ptr<TalosSession> session = session_;
  const bool configured = session->peer().mode == PeerMode::configured;
  view.presence = configured ? Presence::configured : Presence::maintenance;
  view.address = last_address_;
  view.fingerprint = session->peer().fingerprint;
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
  view.config_read = view.config_read || (!configured && session_);
  co_return view;
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
