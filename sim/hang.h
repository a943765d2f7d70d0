#pragma once

#include "async/signal.h"
#include "async/task.h"

namespace ichor::sim {

/// Where a killed process stays until it is taken away: nothing of it runs any more.
inline Task<void> hang(Clock& clock) {
  CancelScope deaf;
  Signal never;
  const Context for_ever{&clock, &deaf, kNever};
  co_await never.wait(for_ever);
}

}  // namespace ichor::sim
