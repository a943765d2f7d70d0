#pragma once

#include <ostream>

#include "port/display.h"

namespace ichor {

/// Where a command works: all it needs of the machine it runs on. Made in main.cc; tests have their own.
class Desk {
 public:
  virtual ~Desk() = default;

  virtual Display& display() = 0;
  /// For data that is text by itself: a script, a trace. Not used together with display().
  virtual std::ostream& out() = 0;
  /// Seconds since some fixed moment, for figures only.
  virtual double stopwatch() = 0;
  virtual int processor_count() = 0;
};

}  // namespace ichor
