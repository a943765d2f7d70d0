#pragma once

#include <optional>
#include <string>

#include "model/finding.h"
#include "model/journal_facts.h"

namespace ichor {

/// O1: the journal belongs to a cluster of another name. Nothing where it names none yet.
std::optional<Finding> journal_of_another(const JournalFacts& facts, const std::string& cluster);

}  // namespace ichor
