#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "model/action.h"
#include "model/finding.h"
#include "model/journal_record.h"
#include "model/run_result.h"
#include "model/unmet.h"

namespace ichor {

/// The condition of the phase holds; nothing is left to do.
struct Satisfied {
  std::vector<Finding> notes{};  // what the operator should know all the same
  std::string why{};             // what says that nothing is left to do, where that is not plain
};

/// Nothing can be done now; `reason` says what is unmet. Look again after a change. A wait for one
/// and the same fault that lasts for `limit` ends as a stop.
struct Wait {
  std::string reason;
  std::string fault{};  // row of the fault catalogue, if the wait has one of its own
  std::string fix{};    // what the operator can do if it lasts
  Duration limit{Duration::max()};
  std::vector<Unmet> unmet{};  // object by object, in Kubernetes phases
  bool unseen{false};          // not all of it has been seen yet, so more may be unmet, or less
};

/// A fact that later steps rest on must be in the journal first.
struct Remember {
  JournalRecord record;
  std::optional<Finding> note{};  // what the operator must see at once
};

/// Mutations are due: one on a node, any number of objects side by side.
struct Act {
  Act(Action action) { actions.push_back(std::move(action)); }
  explicit Act(std::vector<Action> all, std::vector<Unmet> rest = {})
      : actions(std::move(all)), unmet(std::move(rest)) {}

  /// The one call of a phase on nodes.
  const NodeCall& node_call() const { return std::get<NodeCall>(actions.front()); }

  std::vector<Action> actions;
  std::vector<Unmet> unmet;  // besides
};

/// Going on is wrong or pointless.
struct Stop {
  Finding finding;
  bool unsafe{false};            // exit code 5 instead of 1
  std::vector<Finding> more{};   // found in the same look, so that all can be fixed at once
  std::vector<Unmet> unmet{};    // object by object, in Kubernetes phases
  StepEnd end{StepEnd::failed};  // of a Kubernetes phase
};

/// What a phase makes of what it saw. Pure: the same view and facts give the same decision, and
/// `plan` prints it.
using Decision = std::variant<Satisfied, Wait, Remember, Act, Stop>;

}  // namespace ichor
