#include "model/outcome.h"

namespace ichor {

std::string_view name_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::done: return "done";
    case OutcomeKind::refused: return "refused";
    case OutcomeKind::unknown: return "unknown";
  }
  return "?";
}

Outcome Outcome::failed(CallError error) {
  const OutcomeKind kind =
      error.progress == Progress::sent ? OutcomeKind::unknown : OutcomeKind::refused;
  return {kind, std::move(error), {}};
}

}  // namespace ichor
