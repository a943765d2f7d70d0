#pragma once

#include <optional>
#include <vector>

#include "async/signal.h"
#include "engine/scan.h"
#include "model/cluster_profile.h"
#include "model/journal_facts.h"
#include "phase/machine_match.h"

namespace ichor {

/// Finds the machines of a run whose addresses are not known, by scans that all its actors share:
/// one at a time, and not again soon after.
class Finder {
 public:
  /// Where to look. The first are few, such as those that a profile names; only if not all machines
  /// are there, the whole of it is scanned.
  struct Places {
    AddressSet first{};
    AddressSet all{};
  };

  Finder(Scout& scout, Places places, AddressScanOptions options, MatchOptions match = {});

  /// Someone says that machines are at these addresses: they are looked at first. A search of
  /// addresses that the operator named stays with those.
  void look_first_at(const std::vector<IpAddress>& addresses);

  /// Where the machine is that is this node, as far as a scan can tell without doubt. Scans unless
  /// the last one is fresh; nothing if no machine fits, or more than one machine does.
  Task<std::optional<IpAddress>> find(Context context, const ClusterProfile& profile,
                                      const NodePlan& plan, const JournalFacts& facts);

  /// Scans now, and keeps what was seen.
  Task<void> look(Context context, const ClusterProfile& profile, const JournalFacts& facts);

  /// What the last scan saw; null: there was none.
  const ScanReport* report() const { return report_ ? &*report_ : nullptr; }
  MachineMatch match(const ClusterProfile& profile, const JournalFacts& facts) const;

 private:
  struct Turn;
  bool is_fresh(MonoTime now) const;

  Scout& scout_;
  Places places_;
  AddressScanOptions options_;
  MatchOptions match_;
  std::optional<ScanReport> report_;
  MonoTime ended_{};
  Duration pause_{};
  bool scanning_{false};
  Signal done_;
};

}  // namespace ichor
