#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/state_files.h"
#include "os/loop_clock.h"

namespace ichor::lab {

/// The state folder of a lab: mode 0700, one process at a time, written by a thread of its own so
/// that a slow disk does not stop the nodes.
class Store {
 public:
  /// Errc::locked if another lab uses the folder.
  static Result<std::unique_ptr<Store>> open(const std::string& state_dir, LoopClock& loop);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& path() const;
  const Folder& folder() const;

  Result<std::string> read(const std::string& name) const;  // empty text: there is no such file
  Result<std::vector<std::string>> list(const std::string& suffix) const;

  /// Replaces files in order; calls `done` on the loop when they are durable or cannot be made so.
  using Done = std::function<void(Result<void>)>;
  void write(std::vector<StateFile> files, Done done);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor::lab
