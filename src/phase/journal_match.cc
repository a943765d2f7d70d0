#include "phase/journal_match.h"

#include <fmt/format.h>

namespace ichor {

std::optional<Finding> journal_of_another(const JournalFacts& facts, const std::string& cluster) {
  if (facts.cluster().empty() || facts.cluster() == cluster) return std::nullopt;
  return Finding{Severity::error,
                 "O1",
                 {},
                 "journal",
                 fmt::format("the journal is of the cluster {}, and the profile describes {}",
                             facts.cluster(), cluster),
                 "name the right profile with -p, or the right folder with --state-dir"};
}

}  // namespace ichor
