#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/action.h"
#include "model/finding.h"
#include "model/run_result.h"
#include "model/unmet.h"

namespace ichor {

/// The word for it in listings: "done", "out-of-time".
std::string_view result_word(StepEnd end);

/// What a Kubernetes phase came to.
struct PhaseReport {
  int number{0};
  std::string_view name;
  StepEnd end{StepEnd::passed};
  std::vector<ObjectChange> objects;
  std::vector<std::pair<std::string, Unmet>> unmet;  // with the gate that it belongs to
  std::vector<Finding> findings;                     // warnings and notes
  Duration took{};
  std::optional<Duration> slo;

  int changed() const;
  int unchanged() const;
  /// Keeps the worse of the two ends.
  void worsen(StepEnd to);
  /// Each unmet thing is in it once.
  void add(Unmet unmet);
};

inline bool within_objective(const PhaseReport& report) {
  return !report.slo || report.took <= *report.slo;
}

}  // namespace ichor
