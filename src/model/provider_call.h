#pragma once

#include "model/call.h"

namespace ichor {

// The calls to a provider of machines, for the journal. Their numbers continue those of Call, which
// is included nearly everywhere; the journal keeps names, so the numbers may change.
inline constexpr Call kCreateVm = static_cast<Call>(kCallCount);
inline constexpr Call kStartVm = static_cast<Call>(kCallCount + 1);
inline constexpr Call kStopVm = static_cast<Call>(kCallCount + 2);
inline constexpr Call kDestroyVm = static_cast<Call>(kCallCount + 3);
inline constexpr int kProviderCallCount = 4;

}  // namespace ichor
