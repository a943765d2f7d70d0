#include "phase/discover.h"

#include <algorithm>
#include <fmt/format.h>

#include "phase/maintenance_key.h"
#include "phase/stranger.h"

namespace ichor {

std::string identity_conflict(const NodePlan& plan, const Identity& identity) {
  if (!plan.uuid.value().empty() && plan.uuid != identity.uuid) {
    return fmt::format("the profile says UUID {}, the machine has {}", plan.uuid.value(),
                       identity.uuid.value());
  }
  if (!plan.serial.value().empty() && plan.serial != identity.serial) {
    return fmt::format("the profile says serial {}, the machine has {}", plan.serial.value(),
                       identity.serial.value());
  }
  const bool has_mac =
      std::find(identity.macs.begin(), identity.macs.end(), plan.mac) != identity.macs.end();
  if (!plan.mac.value().empty() && !has_mac) {
    return fmt::format("the profile says MAC {}, the machine does not have it", plan.mac.value());
  }
  return {};
}

Finding fallen_back(const NodeName& node, const IpAddress& address, std::string where) {
  return {Severity::error,
          "T2",
          node,
          std::move(where),
          fmt::format("{} is back in maintenance mode at {} after it was installed; it is not "
                      "treated as a new machine",
                      node.value(), address.value()),
          fmt::format("look at its console: if it booted from an ISO or the network, boot it from "
                      "its disk again, nothing is lost; if it was wiped on purpose, `ichor reset "
                      "{}` records that in the journal",
                      node.value())};
}

namespace {

/// Another node of the plan that this machine was bound to before.
const NodeName* bound_elsewhere(const Wanted& wanted, const NodePlan& plan,
                                const Identity& identity) {
  for (const auto& [name, bound] : wanted.facts.identities()) {
    if (name != plan.name && bound.identity.same_machine(identity)) return &name;
  }
  return nullptr;
}

}  // namespace

Decision Discover::decide(const Wanted& wanted, const NodePlan& plan, const NodeView& view) const {
  if (view.presence == Presence::stranger && view.identity) {
    return Stop{stranger_finding(wanted.profile, plan, view), true};
  }
  if (auto decided = decide_presence(plan, view)) return *std::move(decided);
  if (!view.identity) return wait_for_node(plan, view);
  const Identity& identity = *view.identity;
  if (std::string conflict = identity_conflict(plan, identity); !conflict.empty()) {
    return Stop{Finding{Severity::error, "O2", plan.name, "identity", std::move(conflict),
                        "correct uuid, serial or mac in the profile, or the address"},
                true};
  }
  if (const NodeName* other = bound_elsewhere(wanted, plan, identity)) {
    return Stop{
        Finding{Severity::error, "D8", plan.name, "identity",
                fmt::format("the machine at {} already belongs to {}: {}", view.address.value(),
                            other->value(), encode_identity(identity, {})),
                "two nodes of the profile reach the same machine: correct their addresses"},
        true};
  }
  const BoundIdentity* bound = wanted.facts.bound(plan.name);
  if (!bound) {
    JournalRecord record;
    record.kind = RecordKind::identity_bound;
    record.node = plan.name;
    BoundIdentity first{identity, {}, view.clock_was_set};
    if (view.presence == Presence::maintenance) first.fingerprint = view.fingerprint;
    record.value = encode_binding(first);
    return Remember{std::move(record)};
  }
  if (!bound->identity.same_machine(identity)) {
    return Stop{Finding{Severity::error, "O2", plan.name, "identity",
                        fmt::format("the journal has another machine for {}: {}", plan.name.value(),
                                    encode_identity(bound->identity, {})),
                        "to replace the machine of a node, reset the node first"},
                true};
  }
  if (view.presence == Presence::maintenance && wanted.facts.settled(plan.name)) {
    return Stop{fallen_back(plan.name, view.address, "stage"), true};
  }
  if (auto decided = decide_key(wanted, plan, view)) return *std::move(decided);
  return Satisfied{};
}

}  // namespace ichor
