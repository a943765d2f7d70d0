#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "os/loop_clock.h"
#include "talos/grpc_talos_api.h"

namespace ichor {

/// The adapter on a test's loop. Every address leads to one loopback port.
class TestLoop {
 public:
  TestLoop(LoopClock& clock, int port, std::optional<TalosCredentials> credentials = {})
      : clock(clock), port(port) {
    GrpcTalosApi::Options options;
    options.credentials = std::move(credentials);
    options.route = [this](const IpAddress&) {
      return Endpoint{"127.0.0.1", static_cast<std::uint16_t>(this->port)};
    };
    options.canonical_digest = [](std::string_view yaml) {
      Digest digest;
      digest.bytes[0] = static_cast<std::uint8_t>(yaml.size());
      return digest;
    };
    options.io = &clock.io();
    api = std::move(*GrpcTalosApi::make(std::move(options)));
  }

  Context context() { return {&clock, &scope, kNever}; }
  Context within(Duration limit) { return context().within(limit); }

  /// Runs the loop until the task has ended.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> value;
    Task<void> root = finish(std::move(task), value);
    root.start();
    if (!value) clock.run();
    return *std::move(value);
  }

  /// Runs the loop until something holds; the test's own time limit ends it otherwise.
  void run_until(const std::function<bool()>& holds) {
    std::function<void()> look = [&] {
      if (holds()) return clock.stop();
      clock.post(look);
    };
    clock.post(look);
    clock.run();
  }

  CallResult<std::unique_ptr<TalosSession>> open(PeerDemand demand = {}) {
    return run(api->open(within(std::chrono::seconds(20)), IpAddress("127.0.0.1"), demand));
  }

  LoopClock& clock;
  CancelScope scope;
  int port;
  std::unique_ptr<GrpcTalosApi> api;

 private:
  template <class T>
  Task<void> finish(Task<T> task, std::optional<T>& value) {
    value.emplace(co_await std::move(task));
    clock.stop();
  }
};

}  // namespace ichor
