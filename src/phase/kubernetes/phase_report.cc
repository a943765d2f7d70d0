#include "phase/kubernetes/phase_report.h"

#include <algorithm>
#include <iterator>

namespace ichor {

std::string_view result_word(StepEnd end) {
  switch (end) {
    case StepEnd::passed: return "done";
    case StepEnd::cni_pending: return "cni-pending";
    case StepEnd::out_of_time: return "out-of-time";
    case StepEnd::failed: return "failed";
    case StepEnd::unsafe: return "unsafe";
    case StepEnd::blocked: return "blocked";
    case StepEnd::missing_tool: return "missing-tool";
    case StepEnd::cancelled: return "cancelled";
  }
  return "?";
}

void PhaseReport::worsen(StepEnd to) {
  constexpr StepEnd order[] = {StepEnd::passed,       StepEnd::cni_pending, StepEnd::out_of_time,
                               StepEnd::blocked,      StepEnd::failed,      StepEnd::unsafe,
                               StepEnd::missing_tool, StepEnd::cancelled};
  const auto rank = [&order](StepEnd one) { return std::find(order, std::end(order), one); };
  if (rank(to) > rank(end)) end = to;
}

int PhaseReport::changed() const {
  return static_cast<int>(std::count_if(
      objects.begin(), objects.end(), [](const auto& object) { return object.change != "none"; }));
}

int PhaseReport::unchanged() const { return static_cast<int>(objects.size()) - changed(); }

void PhaseReport::add(Unmet one) {
  const auto known = std::find_if(unmet.begin(), unmet.end(), [&](const auto& other) {
    return other.second.object == one.object && other.second.reason == one.reason;
  });
  if (known != unmet.end()) return;
  std::string gate = one.gate.empty() ? std::string(name) : one.gate;
  unmet.emplace_back(std::move(gate), std::move(one));
}

}  // namespace ichor
