#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "port/journal.h"

namespace ichor {

/// This process and what it was started with.
class Environment {
 public:
  virtual ~Environment() = default;

  /// A variable of the environment; nothing if it is not set.
  virtual std::optional<std::string> variable(const std::string& name) = 0;
  /// The name of the command that was typed, such as "up", for the journal.
  virtual std::string command() = 0;
  /// The path of this program, to be started again.
  virtual Result<std::string> program() = 0;
  virtual LockOwner owner() = 0;
  virtual int processor_count() = 0;
  /// Seconds since some fixed moment, for figures only.
  virtual double stopwatch() = 0;
};

}  // namespace ichor
