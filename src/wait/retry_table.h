#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/call.h"

namespace ichor {

/// What to do about a failed call. The caller never looks at codes or texts itself.
enum class Reaction {
  retry,       // the way is disturbed; the same call may go through later
  not_yet,     // the node says that it is too early
  look_again,  // it may have happened, or the world is not what we thought: observe, then decide
  give_up,     // it will fail the same way for ever
};

std::string_view name_of(Reaction reaction);

/// One row of the table: unset fields match everything. `text` matches as a part of what a node or
/// a library said; `mark` says what ichor itself found, never its own sentences.
struct RetryRule {
  std::optional<Call> call;
  std::optional<Progress> progress;
  std::optional<TlsVerdict> tls;
  std::optional<Code> code;
  std::string_view text;
  FaultId mark{};
  Reaction reaction;
  std::string_view fault;  // row of the fault catalogue
  std::string_view hint;   // what the operator can do
};

/// The rows in order; the first that matches counts. The last row matches everything.
const std::vector<RetryRule>& retry_rules();

const RetryRule& rule_for(const CallError& error);

}  // namespace ichor
