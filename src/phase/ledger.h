#pragma once

#include <string>

#include "async/context.h"
#include "async/task.h"
#include "model/journal_facts.h"
#include "port/journal.h"

namespace ichor {

/// The journal and the facts that follow from it, kept together: what is appended is folded in,
/// what could not be appended does not exist. After the first failed append nothing may be mutated
/// any more. One run has one ledger, for its nodes and for its Kubernetes phases.
class Ledger {
 public:
  Ledger(Context context, Journal& journal, RunId run)
      : context_(context), journal_(journal), run_(std::move(run)) {}

  /// Reads and folds everything earlier runs left.
  Result<void> load();

  /// Durable when it returns. Not subject to the run's cancellation: what was done must be told.
  Task<Result<std::uint64_t>> append(JournalRecord record);

  const JournalFacts& facts() const { return facts_; }
  bool broken() const { return !trouble_.empty(); }
  const std::string& trouble() const { return trouble_; }

 private:
  Context context_;
  Journal& journal_;
  RunId run_;
  JournalFacts facts_;
  MonoTime leave_by_{kNever};  // set when the run was told to stop
  std::string trouble_;
  CancelScope deaf_;
};

}  // namespace ichor
