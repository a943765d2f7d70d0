#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "grpc/http2.h"
#include "lab/net/inside.h"
#include "lab/rpc/server_call.h"
#include "os/loop_clock.h"

namespace ichor::lab {

/// The gRPC servers behind all nodes, one for each connection. Lives on the loop's thread. Which
/// node is meant is known by the connection.
class RpcFront {
 public:
  using OnCall = std::function<void(std::shared_ptr<ServerCall>)>;

  /// `on_call` runs from the loop's queue, never within anything else.
  RpcFront(LoopClock& loop, OnCall on_call);
  /// Calls that are open hear nothing more.
  ~RpcFront();
  RpcFront(const RpcFront&) = delete;
  RpcFront& operator=(const RpcFront&) = delete;

  /// A server for the connection with that number. When it is destroyed, its calls are over.
  std::unique_ptr<Inside> serve(std::uint64_t connection, grpc::Http2Limits limits = {});

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace ichor::lab
