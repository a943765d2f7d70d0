#pragma once

#include "async/task.h"

namespace ichor {

/// The value of a task that has nothing to wait for: for tests, and for the ends of programs that
/// have no loop.
template <class T>
T at_once(Task<T> task) {
  task.start();
  check(task.done(), "a task that does not wait has ended when it was started");
  return task.take();
}

}  // namespace ichor
