#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "lab/fault.h"
#include "lab/status.h"
#include "os/durable_file.h"
#include "os/loop_clock.h"

namespace ichor::lab {

/// The lab's end of the control channel (see control.h). Lives on the loop's thread.
class ControlServer {
 public:
  struct Orders {
    std::function<LabStatus()> status;
    std::function<Result<std::string>(const Injection&)> inject;
    std::function<void()> stop;
  };

  static Result<std::unique_ptr<ControlServer>> open(LoopClock& loop, const Folder& folder,
                                                     Orders orders);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  struct Impl;
  explicit ControlServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

inline constexpr const char* kControlSocket = "control.sock";

/// The path of the socket by the folder's descriptor: paths of sockets must be short.
std::string socket_path(const Folder& folder);

}  // namespace ichor::lab
