#include "model/journal_record.h"

namespace ichor {

std::string_view name_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::run_started: return "run-started";
    case RecordKind::secrets_fixed: return "secrets-fixed";
    case RecordKind::contract_fixed: return "contract-fixed";
    case RecordKind::identity_bound: return "identity-bound";
    case RecordKind::bootstrap_target: return "bootstrap-target";
    case RecordKind::intent: return "intent";
    case RecordKind::outcome: return "outcome";
    case RecordKind::observed: return "observed";
    case RecordKind::run_ended: return "run-ended";
    case RecordKind::node_excluded: return "node-excluded";
  }
  return "?";
}

}  // namespace ichor
