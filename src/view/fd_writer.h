#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/time.h"

namespace ichor {

/// Writes text to a file descriptor from a thread of its own, in order. So a pager that stalls does
/// not stop the loop, and a reader that is gone ends the output and not the run. The descriptor
/// stays the caller's.
class FdWriter {
 public:
  explicit FdWriter(int fd);
  /// Writes what is queued, however long the reader takes.
  ~FdWriter();
  FdWriter(const FdWriter&) = delete;
  FdWriter& operator=(const FdWriter&) = delete;

  enum class Keep {
    always,   // data: queued whatever the length of the queue
    if_room,  // progress: dropped while more than a few MiB wait
  };
  void write(std::string text, Keep keep);

  /// Whether everything was written or given up.
  bool idle() const;
  std::uint64_t dropped() const;
  /// The errno that ended the output, or 0. After EPIPE there is no reader left.
  int trouble() const;

  /// Waits until idle, at most for `limit` of real time. False if text is left.
  bool drain(Duration limit);

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace ichor
