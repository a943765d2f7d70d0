#pragma once

#include <string>
#include <string_view>

#include "model/finding.h"
#include "model/journal_record.h"

namespace ichor {

/// The key of an `observed` record that keeps a finding of the run: this, its severity and its id.
inline constexpr std::string_view kFindingKey = "finding ";

/// How a finding of a run is kept in the journal.
inline JournalRecord finding_record(const Finding& finding) {
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = finding.node;
  record.key = std::string(kFindingKey);
  record.key += name_of(finding.severity);
  record.key += ' ' + finding.id;
  record.value = finding.what;
  return record;
}

/// Severity and id in the key of such a record. The first builds kept no severity: those count as
/// errors.
inline Finding finding_in(const JournalRecord& record) {
  Finding finding;
  finding.node = record.node;
  finding.what = record.value;
  finding.id = record.key.substr(kFindingKey.size());
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error}) {
    const std::string word = std::string(name_of(severity)) + ' ';
    if (!finding.id.starts_with(word)) continue;
    finding.severity = severity;
    finding.id.erase(0, word.size());
    break;
  }
  return finding;
}

}  // namespace ichor
