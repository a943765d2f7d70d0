#pragma once

#include <string>
#include <string_view>

#include "model/finding.h"
#include "model/journal_record.h"

namespace ichor {

/// The key of an `observed` record that keeps a finding of the run: this and the finding's id.
inline constexpr std::string_view kFindingKey = "finding ";

/// How a finding of a run is kept in the journal.
inline JournalRecord finding_record(const Finding& finding) {
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = finding.node;
  record.key = std::string(kFindingKey) + finding.id;
  record.value = finding.what;
  return record;
}

}  // namespace ichor
