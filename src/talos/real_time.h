#pragma once

#include <algorithm>

#include "async/context.h"
#include "base/time.h"

namespace ichor {

// Limits of connections and calls are kept in real time, by the timers of the socket loop: a node
// does not answer faster because the loop's clock is scaled.

/// What a caller grants: the time left until its deadline, read as real time, and `at_most`.
inline Duration real_limit(const Context& context, Duration at_most) {
  if (context.deadline == kNever) return at_most;
  return std::clamp(context.deadline - context.now(), Duration::zero(), at_most);
}

/// The same context without its deadline, for waiting on something that keeps a real limit itself.
inline Context until_settled(Context context) { return {context.clock, context.scope, kNever}; }

}  // namespace ichor
