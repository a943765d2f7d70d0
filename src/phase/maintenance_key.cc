#include "phase/maintenance_key.h"

#include <fmt/format.h>

namespace ichor {

namespace {

bool keeps_bound_key(Trust trust) { return trust == Trust::tofu || trust == Trust::strict; }

const Fingerprint* accepted_key(const ClusterProfile& profile, const NodeName& node) {
  const auto found = profile.accepted_keys.find(node);
  return found == profile.accepted_keys.end() ? nullptr : &found->second;
}

Stop other_key(const NodePlan& plan, const Fingerprint& bound, const Fingerprint& shown) {
  const std::string& name = plan.name.value();
  return Stop{Finding{Severity::error, "T2", plan.name, "handshake",
                      fmt::format("{} has the key {}, but the journal records {}", name,
                                  shown.value(), bound.value()),
                      fmt::format("compare with the fingerprint on the console of {0}; if it is "
                                  "the same, `ichor up --accept-key {0}={1}`",
                                  name, shown.value())},
              true};
}

}  // namespace

PeerDemand maintenance_demand(const ClusterProfile& profile, const NodePlan& plan,
                              const JournalFacts& facts) {
  PeerDemand demand;
  const Trust trust = profile.trust_in(plan);
  if (trust == Trust::pin) {
    demand.maintenance_pins =
        profile.pins.empty() ? std::vector<Fingerprint>{plan.pin} : profile.pins;
  }
  if (!keeps_bound_key(trust)) return demand;
  const BoundIdentity* bound = facts.bound(plan.name);
  if (bound && !bound->fingerprint.value().empty()) {
    demand.maintenance_pins.push_back(bound->fingerprint);
  }
  if (const Fingerprint* accepted = accepted_key(profile, plan.name)) {
    demand.maintenance_pins.push_back(*accepted);
  }
  return demand;
}

Result<std::string> evidence_of_reboot(const BoundIdentity& bound, const NewKeyClaim& claim) {
  const Identity& before = bound.identity;
  const Identity& now = claim.identity;
  if (claim.old_key_answers) return fail(Errc::unsafe, "the old key still answers");
  if (before.uuid != now.uuid) return fail(Errc::unsafe, "its UUID has changed");
  if (before.serial != now.serial) return fail(Errc::unsafe, "its serial number has changed");
  if (before.macs != now.macs) return fail(Errc::unsafe, "its MAC addresses have changed");
  if (before.since.empty() || now.since.empty()) {
    return fail(Errc::unsafe, "it does not report when it was started");
  }
  if (before.since != now.since) {
    return fmt::format("same UUID, serial and MACs, up since {} instead of {}, the old key is gone",
                       now.since, before.since);
  }
  // Talos replaces its maintenance key also when it sets its clock, a few seconds into a boot.
  if (!bound.clock_set && claim.clock_synced == Known::yes) {
    return std::string("same machine in the same boot, which set its clock meanwhile");
  }
  return fail(Errc::unsafe, "it did not reboot in between");
}

std::optional<Decision> decide_key(const Wanted& wanted, const NodePlan& plan,
                                   const NodeView& view) {
  const bool shown =
      view.presence == Presence::maintenance && view.identity && !view.fingerprint.value().empty();
  if (!shown || !keeps_bound_key(wanted.profile.trust_in(plan))) return std::nullopt;
  const BoundIdentity* bound = wanted.facts.bound(plan.name);
  if (!bound || bound->fingerprint == view.fingerprint) return std::nullopt;

  const Fingerprint* accepted = accepted_key(wanted.profile, plan.name);
  const bool by_operator = accepted && *accepted == view.fingerprint;
  const bool first = bound->fingerprint.value().empty();
  const bool after_reboot = view.key_change && view.key_change->before == bound->fingerprint;
  if (!first && !by_operator && !after_reboot) {
    return other_key(plan, bound->fingerprint, view.fingerprint);
  }
  BoundIdentity next{*view.identity, view.fingerprint, view.clock_was_set};
  next.identity.boot_id = bound->identity.boot_id;
  Remember remember;
  remember.record.kind = RecordKind::identity_bound;
  remember.record.node = plan.name;
  remember.record.key = first ? "first key" : by_operator ? "accepted key" : "new key";
  remember.record.value = encode_binding(next);
  if (first) return remember;
  const std::string why = by_operator ? "accepted by --accept-key" : view.key_change->evidence;
  remember.note =
      Finding{Severity::warning,
              "T2",
              plan.name,
              "handshake",
              fmt::format("{} has a new maintenance key: {} before, {} now ({})", plan.name.value(),
                          bound->fingerprint.value(), view.fingerprint.value(), why),
              "compare it with the fingerprint on its console; with `trust: strict` ichor stops "
              "instead of accepting a new key"};
  return remember;
}

}  // namespace ichor
