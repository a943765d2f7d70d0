#pragma once

#include <functional>
#include <memory>

namespace ichor {

class LoopClock;

/// Turns SIGINT and SIGTERM into a call on the loop. The second one ends the process at once with
/// 128 plus the signal's number, from within the signal handler: so it works while the loop is
/// stuck, and what the journal acknowledged is on disk already. SIGPIPE is ignored: a closed pipe
/// is an error of write().
///
/// One object at a time; its end restores the former handlers.
class StopSignals {
 public:
  /// `asked_to_stop` gets the signal's number.
  StopSignals(LoopClock& loop, std::function<void(int)> asked_to_stop);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor
