#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "phase/phase.h"
#include "port/talos_api.h"

namespace ichor {

/// Which keys a node in maintenance mode may show before anything is asked of it: the pins, or the
/// key that was bound to it and one that the operator accepts. Empty: any key will do.
PeerDemand maintenance_demand(const ClusterProfile& profile, const NodePlan& plan,
                              const JournalFacts& facts);

/// What a node says of itself under a key that was not bound to it.
struct NewKeyClaim {
  Identity identity;
  Known clock_synced{Known::unknown};
  bool old_key_answers{false};
};

/// What speaks for a reboot of the bound machine, in words for the journal. The error says which
/// part of the evidence is missing. All of it is what the other end claims, except that the old key
/// does not answer: SECURITY.md says what that is worth.
Result<std::string> evidence_of_reboot(const BoundIdentity& bound, const NewKeyClaim& claim);

/// Binds the key of a node in maintenance mode where Trust::tofu and Trust::strict ask for it:
/// remembers a key that may replace the bound one, stops at any other. Nothing where the bound key
/// answers, and where keys are pinned or any key will do.
std::optional<Decision> decide_key(const Wanted& wanted, const NodePlan& plan,
                                   const NodeView& view);

}  // namespace ichor
