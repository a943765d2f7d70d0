#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "lab/fault.h"
#include "lab/status.h"

namespace ichor::lab {

/// The control channel of a lab that runs in another process: a Unix socket in its state folder,
/// mode 0600, one JSON object per line each way. Without a lab there the error is Errc::io and says
/// so.
Result<LabStatus> status_of(const std::string& state_dir);
Result<std::string> inject_into(const std::string& state_dir, const Injection& injection);
/// Returns when the lab is gone.
Result<void> stop_lab(const std::string& state_dir, Duration patience);

struct LabProcess {
  std::vector<std::string> argv;  // a foreground `ichor lab start`; argv[0] is the program's path
  std::string state_dir;
  bool dies_with_parent{false};  // PDEATHSIG, for `up --lab`; else it gets a session of its own
  Duration patience{std::chrono::seconds(20)};
};

/// Starts a lab in a process of its own, with its output in STATE/lab.log, and waits until it
/// answers. An error carries the last line of that log.
Result<LabStatus> start_process(const LabProcess& process);

}  // namespace ichor::lab
