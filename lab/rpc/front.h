#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "lab/rpc/server_call.h"
#include "os/loop_clock.h"

namespace ichor::lab {

/// The gRPC server behind all nodes: it speaks HTTP/2 on sockets that it is given and hands every
/// call to the loop's thread. One server serves a thousand nodes, because which node is meant is
/// known by the connection.
class RpcFront {
 public:
  using OnCall = std::function<void(std::shared_ptr<ServerCall>)>;

  RpcFront(LoopClock& loop, OnCall on_call);
  /// Ends all calls. The loop must still exist, but need not run.
  ~RpcFront();
  RpcFront(const RpcFront&) = delete;
  RpcFront& operator=(const RpcFront&) = delete;

  /// Serves a connected socket, which is the front's from now on.
  void adopt(int fd, std::uint64_t connection);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor::lab
