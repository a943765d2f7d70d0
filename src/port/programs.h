#pragma once

#include "port/process.h"

namespace ichor {

/// The other programs of this computer.
class Programs {
 public:
  virtual ~Programs() = default;

  /// Runs a program to its end while EventLoop::drive() does not run: no shell, HOME, PATH and
  /// `call.variables` as its whole environment, at most `call.limit`. `call.program` may be a name,
  /// which only absolute entries of PATH lead to. Errc::invalid if there is none.
  virtual Result<ProcessResult> run_program(ProcessCall call) = 0;
  /// Programs that run beside us while drive() does.
  virtual Processes& processes() = 0;
};

}  // namespace ichor
