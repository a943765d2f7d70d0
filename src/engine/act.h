#pragma once

#include <functional>
#include <optional>

#include "engine/node_link.h"
#include "model/action.h"
#include "model/config_set.h"
#include "model/outcome.h"
#include "phase/ledger.h"

namespace ichor {

/// How every mutation is made, of nodes and of Kubernetes alike: the intent is durable before the
/// request leaves, the outcome before anybody learns of it. A run that was called off sends nothing
/// more.
///
/// `refuse` is asked once the intent is durable and may still say no; `send` makes the request.
struct Mutation {
  JournalRecord intent;
  std::function<std::optional<Outcome>()> refuse;
  std::function<Task<Outcome>()> send;
  /// What of an error may be kept in the journal.
  std::function<std::string(const CallError&)> tell;
};
Task<Outcome> carry_out(Context context, Ledger& ledger, Mutation mutation);

/// The outcome of what did not leave.
Outcome not_sent(Call call, Code code, std::string text);

/// Acts on a node. The machine must be the one the journal names, proved on the very session the
/// call goes out on.
///
/// `link` must have been looked at; without a session the action is refused as not sent.
Task<Outcome> act(Context context, World& world, Ledger& ledger, NodeLink& link, NodeCall action,
                  const ConfigSet& configs, const Budgets& budgets);

}  // namespace ichor
