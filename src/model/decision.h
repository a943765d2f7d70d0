#pragma once

#include <string>
#include <utility>
#include <variant>

#include "model/action.h"
#include "model/finding.h"
#include "model/journal_record.h"

namespace ichor {

/// The condition of the phase holds; nothing is left to do.
struct Satisfied {};

/// Nothing can be done now; `reason` says what is unmet. Look again after a change.
struct Wait {
  std::string reason;
};

/// A fact that later steps rest on must be in the journal first.
struct Remember {
  JournalRecord record;
};

/// One mutation is due.
struct Act {
  Action action;
};

/// Going on is wrong or pointless.
struct Stop {
  Finding finding;
  bool unsafe{false};  // exit code 5 instead of 1
};

/// What a phase makes of what it saw. Pure: the same view and facts give the same decision, and
/// `plan` prints it.
using Decision = std::variant<Satisfied, Wait, Remember, Act, Stop>;

}  // namespace ichor
