#pragma once

#include <ostream>

#include "port/display.h"

namespace ichor {

/// Where a command shows what it does and what it found.
class Terminal {
 public:
  virtual ~Terminal() = default;

  virtual Display& display() = 0;
  /// For data that is text by itself: a script, a trace. Not used together with display(). A file
  /// or a program gets every byte of it; a terminal only what clean_lines() leaves.
  virtual std::ostream& out() = 0;
  /// For what goes wrong with such data; always clean.
  virtual std::ostream& err() = 0;
};

}  // namespace ichor
