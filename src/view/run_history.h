#pragma once

#include <optional>
#include <string>
#include <vector>

#include "view/journal_runs.h"

namespace ichor {

/// A run as one line.
struct RunEntry {
  std::size_t number{0};  // from 1
  std::string id;
  std::int64_t began_ms{0};
  std::int64_t took_ms{0};  // to its last record
  std::string command;      // empty: the journal is older than this record
  std::optional<int> exit;  // nothing: it did not end
  std::string verdict;
  int mutations{0};  // that were intended
};

std::vector<RunEntry> run_entries(const std::vector<JournalRun>& runs);

/// The run that a person means by its number, by its id or by the beginning of it. Nothing if no
/// run, or more than one, is meant.
std::optional<std::size_t> find_run(const std::vector<JournalRun>& runs, const std::string& text);

/// One thing that is not the same in two runs. Empty: the run does not say.
struct RunDifference {
  std::string what;  // "config of cp1"
  std::string before, after;
};

/// What differs between two runs of `runs`: command, exit, versions, fingerprints of plan, secrets
/// and configs, the time of steps by a second or more, and the faults that were found.
std::vector<RunDifference> run_differences(const std::vector<JournalRun>& runs, std::size_t before,
                                           std::size_t after);

/// The value of the first `observed` record with this key; empty if there is none.
std::string observed_value(const JournalRun& run, std::string_view key);

}  // namespace ichor
