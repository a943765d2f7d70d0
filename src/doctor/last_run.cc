#include "doctor/last_run.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "doctor/examine_node.h"
#include "doctor/fault.h"
#include "doctor/match.h"
#include "model/finding_record.h"

namespace ichor {

namespace {

LastRun::Change& change_of(LastRun& last, const NodeName& node) {
  const auto found =
      std::find_if(last.changes.begin(), last.changes.end(),
                   [&](const LastRun::Change& change) { return change.node == node; });
  if (found != last.changes.end()) return *found;
  last.changes.push_back({node, Call::open, std::nullopt, {}});
  return last.changes.back();
}

void note_changes(const std::vector<JournalRecord>& records, LastRun& last) {
  for (const JournalRecord& record : records) {
    if (record.kind == RecordKind::intent) {
      LastRun::Change& change = change_of(last, record.node);
      change.call = record.call;
      change.outcome.reset();
      change.text.clear();
    }
    if (record.kind == RecordKind::outcome) {
      LastRun::Change& change = change_of(last, record.node);
      change.outcome = record.outcome;
      change.text = record.value;
    }
  }
}

void note_end(const JournalRecord& ended, LastRun& last) {
  int code = 0;
  const char* end = ended.key.data() + ended.key.size();
  if (std::from_chars(ended.key.data(), end, code).ec == std::errc{}) last.exit = code;
  last.verdict = ended.value;
}

/// A row that is known by its id, or what the words of the text lead to.
std::optional<Finding> explained(const std::string& id, const NodeName& node,
                                 const std::string& text) {
  if (find_fault(id) || find_invariant(id)) return finding_of(id, node, "last run", text);
  const auto match = match_error(text);
  if (!match || !match->fault) return std::nullopt;
  return finding_of(match->fault->id, node, "last run", text);
}

/// What the run reported. After a run that succeeded it is over: a note, and nothing to do about
/// it.
void note_findings(const std::vector<JournalRecord>& records, LastRun& last) {
  const bool over = last.exit == 0;
  for (const JournalRecord& record : records) {
    const bool told = record.run == last.run && record.kind == RecordKind::observed &&
                      record.key.starts_with(kFindingKey);
    if (!told) continue;
    const Finding kept = finding_in(record);
    auto finding = explained(kept.id, kept.node, kept.what);
    if (!finding) continue;
    finding->severity = over ? Severity::note : kept.severity;
    if (over) finding->what += "; the run went on and succeeded";
    if (over) finding->fix.clear();
    last.findings.push_back(*std::move(finding));
  }
}

void explain_open_changes(LastRun& last) {
  for (const LastRun::Change& change : last.changes) {
    if (change.outcome && *change.outcome != OutcomeKind::unknown) continue;
    const std::string_view why = change.outcome ? "its reply was lost" : "no outcome was written";
    Finding open = finding_of(
        change.outcome ? "N3" : "L1", change.node, "journal",
        fmt::format("{} was sent and {}: it may have happened", name_of(change.call), why));
    open.severity = Severity::note;
    last.findings.push_back(std::move(open));
  }
}

}  // namespace

std::optional<LastRun> last_run(const std::vector<JournalRecord>& records) {
  LastRun last;
  for (const JournalRecord& record : records) {
    if (record.kind != RecordKind::run_started) continue;
    // With machines to make, a run starts twice: at the provider, and with the nodes.
    if (last.number > 0 && record.run == last.run) continue;
    ++last.number;
    last.run = record.run;
    last.began_ms = record.wall_ms;
  }
  if (last.number == 0) return std::nullopt;
  for (const JournalRecord& record : records) {
    if (record.run != last.run) continue;
    if (record.kind == RecordKind::run_ended) note_end(record, last);
  }
  note_findings(records, last);
  note_changes(records, last);
  if (last.findings.empty() && last.exit.value_or(0) != 0) {
    // Journals of older versions have the verdict only.
    if (auto finding = explained({}, {}, last.verdict)) last.findings.push_back(*finding);
  }
  explain_open_changes(last);
  return last;
}

}  // namespace ichor
