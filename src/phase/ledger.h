#pragma once

#include <optional>
#include <string>

#include "async/context.h"
#include "async/task.h"
#include "model/finding.h"
#include "model/journal_facts.h"
#include "port/journal.h"
#include "wait/look_time.h"

namespace ichor {

/// The journal and the facts that follow from it, kept together: what is appended is folded in,
/// what could not be appended does not exist. After the first failed append nothing may be mutated
/// any more. One run has one ledger, for its nodes and for its Kubernetes phases.
class Ledger {
 public:
  /// `lease` is the one that the run holds.
  Ledger(Context context, Journal& journal, RunId run, Lease lease = {})
      : context_(context), journal_(journal), run_(std::move(run)), lease_(std::move(lease)) {}

  /// Reads and folds everything earlier runs left.
  Task<Result<void>> load();

  /// Durable when it returns. Not subject to the run's cancellation: what was done must be
  /// recorded. When an intent returns, half of the lease is still ahead: whatever paused this
  /// process, no other one acts before the call that follows has ended.
  Task<Result<std::uint64_t>> append(JournalRecord record);

  /// Renews a lease that can run out, until the context ends or the lease is lost.
  Task<void> keep_lease(Context context);

  const JournalFacts& facts() const { return facts_; }
  bool broken() const { return trouble_.has_value(); }
  /// Only if broken.
  const Error& trouble() const { return *trouble_; }

 private:
  bool may_run_out() const { return lease_.length > Duration{}; }
  Task<Result<void>> confirm_lease(Context context, LookTime asked);

  Context context_;
  Journal& journal_;
  RunId run_;
  Lease lease_;
  JournalFacts facts_;
  MonoTime leave_by_{kNever};  // set when the run was asked to stop
  std::optional<Error> trouble_;
  CancelScope deaf_;
};

/// What a record that could not be kept means for the run: nothing more was sent. `again` is the
/// command that goes on.
Finding finding_of(const Error& trouble, std::string where, std::string_view again);

}  // namespace ichor
