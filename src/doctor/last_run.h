#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/finding.h"
#include "model/journal_record.h"

namespace ichor {

/// What the journal says about the last run, and what is still open in it.
struct LastRun {
  RunId run;
  int number{0};  // counted from the first one
  std::int64_t began_ms{0};
  std::optional<int> exit;  // nothing: it was killed, or it still runs
  std::string verdict;
  std::vector<Finding> findings;  // as it reported them, with the rows' causes and steps

  /// The last change that was meant for a node in the life of the cluster.
  struct Change {
    NodeName node;
    Call call{Call::open};
    std::optional<OutcomeKind> outcome;  // nothing: the result is unknown, it may have happened
    std::string text;                    // of the outcome
  };
  std::vector<Change> changes;  // by node, in the order of their first change
};

/// Nothing if there was no run.
std::optional<LastRun> last_run(const std::vector<JournalRecord>& records);

}  // namespace ichor
