#pragma once

#include "async/clock.h"
#include "async/context.h"
#include "async/task.h"

namespace ichor {

/// The loop that tasks of a command run on.
class EventLoop {
 public:
  virtual ~EventLoop() = default;

  /// How much faster than the world the clock runs; to be said before it is first used.
  virtual void set_time_scale(double scale) = 0;
  virtual Clock& clock() = 0;
  /// Runs the task to its end. A first signal cancels `scope`, and its number is returned; a second
  /// one ends the process.
  virtual int drive(Task<void> task, CancelScope& scope) = 0;
};

}  // namespace ichor
