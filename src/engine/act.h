#pragma once

#include "engine/node_link.h"
#include "model/action.h"
#include "model/config_set.h"
#include "model/outcome.h"
#include "phase/ledger.h"

namespace ichor {

/// The one place that changes the world. The machine must be the one the journal names, proved on
/// the very session the call goes out on; the intent is durable before the request leaves, the
/// outcome is durable before anybody learns of it.
///
/// `link` must have been looked at; without a session the action is refused as not sent.
Task<Outcome> act(Context context, World& world, Ledger& ledger, NodeLink& link, Action action,
                  const ConfigSet& configs, const Budgets& budgets);

}  // namespace ichor
