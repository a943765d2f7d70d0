#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "os/loop_clock.h"
#include "talos/grpc_talos_api.h"

namespace ichor {

/// A loop for tests of the adapter, and the adapter on it. Every address leads to one loopback
/// port.
class TestLoop {
 public:
  explicit TestLoop(int port, std::optional<TalosCredentials> credentials = {},
                    double time_scale = 1.0)
      : clock(time_scale), port(port) {
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
    options.post = [this](std::function<void()> work) { clock.post(std::move(work)); };
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

  CallResult<std::unique_ptr<TalosSession>> open(PeerDemand demand = {}) {
    return run(api->open(within(std::chrono::seconds(20)), IpAddress("127.0.0.1"), demand));
  }

  LoopClock clock;
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
