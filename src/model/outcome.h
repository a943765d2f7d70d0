#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/call.h"

namespace ichor {

/// The three answers to a mutation. Unknown is not no: it leads to another look at the world, never
/// to a second call made blindly.
enum class OutcomeKind { done, refused, unknown };

std::string_view name_of(OutcomeKind kind);

struct Outcome {
  OutcomeKind kind{OutcomeKind::unknown};
  std::optional<CallError> error;     // set unless done
  std::vector<std::string> warnings;  // what the node said although it accepted

  static Outcome done(std::vector<std::string> warnings = {}) {
    return {OutcomeKind::done, std::nullopt, std::move(warnings)};
  }
  /// Derived from how far the call came, so that no adapter can call a lost reply a refusal.
  static Outcome failed(CallError error);
};

}  // namespace ichor
