#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/journal_record.h"
#include "model/machine_spec.h"

namespace ichor {

/// What can be done to a machine at its provider.
enum class VmDeed { create, start, stop, destroy };
inline constexpr int kVmDeedCount = 4;

/// "create".
std::string_view name_of(VmDeed deed);

/// The last attempt to change a machine, as the journal knows it.
struct VmAttempt {
  VmDeed deed{VmDeed::create};
  std::uint64_t intent{0};
  std::int64_t wall_ms{0};  // when it was intended
  ProviderTaskId task;      // empty: the provider's answer did not come, or was not written down
  ProviderTaskId before;    // the machine's newest task when it was intended; empty: it had none
  bool open{false};         // how it ended is not known
  VmPlace place;
  NodeName node;
};

/// What the journal says about machines at a provider: the fold of its records. The live run
/// appends and folds, a resumed run folds the same records, so both decide alike.
class ProvisionFacts {
 public:
  void fold(const JournalRecord& record);
  /// Null if the journal knows of no attempt. What came before the last one has ended, or does not
  /// matter any more.
  const VmAttempt* last(VmId id) const;
  /// The last attempts of machines, where they are open.
  std::vector<const VmAttempt*> open() const;
  /// Whether a task belongs to an attempt already: then it is not that of another one.
  bool knows(const ProviderTaskId& task) const { return tasks_.contains(task); }
  /// The node for which ichor created the machine with this number, or asked for it; null if it did
  /// not, or removed the machine since. The number may have gone to another machine meanwhile.
  const NodeName* made(VmId id) const;

 private:
  std::map<VmId, VmAttempt> attempts_;
  std::map<VmId, NodeName> made_;
  std::set<ProviderTaskId> tasks_;
};

/// The records of a deed. `key` of an intent and of its outcome names it: "proxmox create 101".
/// `before` is the newest task that the provider shows for this machine: whatever is newer was
/// started after the intent, by the provider's own order and whatever the clocks say.
JournalRecord intent_record(VmDeed deed, const NodeName& node, const VmPlace& place,
                            const ProviderTaskId& before);
/// The provider's task, written before anybody waits for it.
JournalRecord task_record(VmDeed deed, const NodeName& node, const VmPlace& place,
                          std::uint64_t intent, const ProviderTaskId& task);
JournalRecord outcome_record(VmDeed deed, const NodeName& node, const VmPlace& place,
                             std::uint64_t intent, OutcomeKind outcome, std::string why);

}  // namespace ichor
