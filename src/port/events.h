#pragma once

#include "model/event.h"

namespace ichor {

/// Where the core's events go. Must not block and must not fail: a closed pipe is the sink's
/// problem.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(const Event& event) = 0;
};

}  // namespace ichor
