#pragma once

#include <functional>
#include <grpcpp/channel.h>
#include <memory>

#include "base/time.h"

namespace ichor {

/// Waits until channels are connected. gRPC tells that through a completion queue only, so this
/// object has one, and one thread that serves it.
class Connector {
 public:
  Connector();
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

  enum class End { connected, failed, out_of_time };
  using Done = std::function<void(End)>;

  /// Makes `channel` connect. Calls `done` at most once, on any thread, and never after this
  /// object's end. `limit` is in real time.
  void start(std::shared_ptr<grpc::Channel> channel, Duration limit, Done done);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor
