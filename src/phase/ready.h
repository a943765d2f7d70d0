#pragma once

#include "phase/phase.h"

namespace ichor {

/// Success is said of what was true at the same time; answers further apart were not.
inline constexpr Duration kSeenTogether = std::chrono::seconds(30);

/// Id of the note that comes with a success on which no node is Ready, because the profile has
/// `cni: none` and no CNI is installed yet.
inline constexpr std::string_view kCniPending = "K1";

/// The last look: everything that was asked for holds at the same time, now. Earlier phases saw
/// each part true once, perhaps minutes ago; success is said only of what was just seen.
class Ready final : public ClusterPhase {
 public:
  std::string_view name() const override { return "ready"; }
  Reads reads() const override { return {.status = true, .config = true, .etcd_health = true}; }
  bool looks_at_workers() const override { return true; }
  bool needs_api() const override { return true; }
  Duration budget(const Budgets& budgets) const override { return budgets.verify; }
  Decision decide(const Wanted& wanted, const ClusterView& view) const override;
  std::string unmet_on(const Wanted& wanted, const NodeView& node) const override;
};

}  // namespace ichor
