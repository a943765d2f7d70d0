#pragma once

#include <algorithm>
#include <grpc/support/time.h>

#include "async/context.h"
#include "base/time.h"

namespace ichor {

/// Limits of connections and calls are kept in real time: a node does not answer faster because the
/// loop's clock is scaled. gRPC's own monotonic clock is used, in which its deadlines are told.
inline gpr_timespec real_now() { return gpr_now(GPR_CLOCK_MONOTONIC); }

inline gpr_timespec real_deadline(Duration from_now) {
  return gpr_time_add(real_now(), gpr_time_from_nanos(from_now.count(), GPR_TIMESPAN));
}

/// Milliseconds until `deadline`, rounded up; zero if it has passed.
inline int real_ms_until(gpr_timespec deadline) {
  const gpr_timespec left = gpr_time_sub(deadline, real_now());
  return std::max(0, gpr_time_to_millis(left));
}

/// What a caller grants: the time left until its deadline, read as real time, and `at_most`.
inline Duration real_limit(const Context& context, Duration at_most) {
  if (context.deadline == kNever) return at_most;
  return std::clamp(context.deadline - context.now(), Duration::zero(), at_most);
}

/// The same context without its deadline, for waiting on something that keeps a real limit itself.
inline Context until_settled(Context context) { return {context.clock, context.scope, kNever}; }

}  // namespace ichor
