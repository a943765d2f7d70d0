#pragma once

#include <array>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace ichor {

/// Both ends of a pipe, closed on exec; end 0 is read from.
class Pipe {
 public:
  Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe();
  bool good() const { return good_; }
  int end(std::size_t which) const { return ends_[which]; }
  void close(std::size_t which);
  /// Hands an end out; whoever gets it closes it.
  int release(std::size_t which);

 private:
  std::array<int, 2> ends_{-1, -1};
  bool good_{false};
};

/// A program about to be started, without a shell.
struct Spawn {
  std::vector<std::string> arguments;    // the first one is its name, or its absolute path
  std::vector<std::string> environment;  // "NAME=value", all of it
  int in{-1}, out{-1}, err{-1};          // its standard streams; -1: ours
  int keep{-1};                          // one more descriptor that it inherits; -1: none
  std::string folder;                    // where it works; empty: where we do
  bool own_group{false};                 // leads a process group, which can be ended as a whole
};

/// Errc::invalid if there is no such program, Errc::io if it cannot be run.
Result<pid_t> spawn(const Spawn& program);

/// How a process ended, as a shell tells it: its exit code, or 128 and the signal that ended it.
int exit_of(int wait_status);

}  // namespace ichor
