#pragma once

#include <string>
#include <string_view>

#include "os/loop_clock.h"
#include "port/process.h"

namespace ichor {

/// Other programs on the process's socket loop: their output is read as it comes, and many run
/// side by side. Limits are kept in real time.
class LoopProcesses final : public Processes {
 public:
  /// `path` is the PATH that programs are found by and see, without its relative and empty
  /// entries: those mean the working folder, which is often another project's repository. `home` is
  /// their HOME. The loop must outlive this object.
  LoopProcesses(LoopClock& loop, std::string_view path, std::string home);

  std::optional<std::string> find(const std::string& name) override;
  bool is_held(const std::string& hold) override;
  Task<Result<ProcessResult>> run(Context context, ProcessCall call) override;

 private:
  LoopClock& loop_;
  std::string path_;
  std::string home_;
};

}  // namespace ichor
