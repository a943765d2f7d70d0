// Where a node may be: the part of NodeLink that knows addresses and opens no session.

#include <algorithm>
#include <fmt/format.h>

#include "engine/finder.h"
#include "engine/node_link.h"

namespace ichor {

namespace {

/// Longer than a machine needs from one look to its API after a reboot, in most cases.
constexpr Duration kRebootTime = std::chrono::minutes(2);

}  // namespace

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

bool NodeLink::has_no_address() const {
  const bool applied = facts_.last(Call::apply_configuration, plan_.name) != nullptr;
  const bool told = plan_.maintenance_address != plan_.address;
  return !applied && !told && last_address_.value().empty();
}

bool NodeLink::is_borrowed(const IpAddress& address) const {
  if (address == plan_.address) return false;
  const MutationFact* sent = facts_.last(Call::apply_configuration, plan_.name);
  const bool moves = sent && sent->outcome != OutcomeKind::refused;
  return moves || address != plan_.maintenance_address;
}

bool NodeLink::is_key_of_another(const Fingerprint& key) const {
  const auto& known = facts_.identities();
  return !key.value().empty() && std::any_of(known.begin(), known.end(), [&](const auto& entry) {
    return entry.first != plan_.name && entry.second.fingerprint == key;
  });
}

bool NodeLink::is_lost(MonoTime now) {
  if (last_address_.value().empty()) return true;
  if (!silent_since_) silent_since_ = now;
  return now - *silent_since_ >= kRebootTime;
}

void NodeLink::overlook_successor(NodeView& view) {
  const bool foreign =
      view.presence == Presence::foreign && view.trouble &&
      (view.trouble->tls == TlsVerdict::foreign_ca || is_key_of_another(view.trouble->shown));
  if (view.presence != Presence::stranger && !foreign) return;
  if (!is_borrowed(view.address)) return;
  if (view.address == last_address_) last_address_ = {};
  view.presence = Presence::silent;
  view.identity.reset();
  view.trouble = CallError{
      Call::open, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
      fmt::format("another machine answers at {}, which was its address; it is awaited at {}",
                  view.address.value(), plan_.address.value())};
  view.address = plan_.address;
}

Task<std::vector<IpAddress>> NodeLink::seek(Context context, const std::vector<IpAddress>& known) {
  std::vector<IpAddress> found;
  if (!world_.finder || context.cancelled()) co_return found;
  auto address = co_await world_.finder->find(context, profile_, plan_, facts_);
  const bool fresh = address && std::find(known.begin(), known.end(), *address) == known.end();
  if (fresh) found.push_back(*std::move(address));
  co_return found;
}

}  // namespace ichor
