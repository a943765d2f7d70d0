#include "engine/run_records.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/finding_record.h"
#include "model/run_record.h"
#include "phase/etcd_groups.h"
#include "phase/etcd_health.h"
#include "phase/kubernetes/phase_report.h"

namespace ichor {

namespace {

/// Steps that are quicker found all in place.
constexpr Duration kWorthKeeping = std::chrono::seconds(1);

}  // namespace

std::optional<JournalRecord> record_of_step(const NodeName& node, const Phase& phase,
                                            const PhaseEnd& end, Duration took) {
  const bool quick = end.end == StepEnd::passed && took < kWorthKeeping;
  if (quick || end.end == StepEnd::cancelled) return std::nullopt;
  return step_record(
      node, {std::string(phase.name()), std::string(result_word(end.end)), took, end.retries});
}

std::optional<JournalRecord> record_of_members(const Phase& phase, const PhaseEnd& end,
                                               const ClusterView& view) {
  if (phase.name() != kEtcdPhase || end.end != StepEnd::passed) return std::nullopt;
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.key = kMembersKey;
  for (EtcdGroup group : etcd_groups(view)) {
    // etcd lists them by their ids, which are another order in every cluster.
    std::sort(group.members.begin(), group.members.end(),
              [](const EtcdMember& a, const EtcdMember& b) { return a.hostname < b.hostname; });
    record.value += (record.value.empty() ? "" : "; another cluster: ") + to_text(group);
  }
  if (record.value.empty()) return std::nullopt;
  return record;
}

Task<void> write_end(Ledger& ledger, const RunResult& result) {
  // For `ichor doctor --last`. What cannot be written any more appears only in the summary.
  for (const Finding& finding : result.findings) co_await ledger.append(finding_record(finding));
  JournalRecord ended;
  ended.kind = RecordKind::run_ended;
  ended.key = fmt::to_string(static_cast<int>(result.exit));
  ended.value = result.verdict;
  co_await ledger.append(std::move(ended));
}

}  // namespace ichor
