#include "talos/connector.h"

#include <grpcpp/completion_queue.h>
#include <mutex>
#include <thread>
#include <utility>

#include "talos/real_time.h"

namespace ichor {

namespace {

/// How long one wait lasts. A wait cannot be called off, so this is how long an end can take.
constexpr Duration kRound = std::chrono::milliseconds(100);

/// One channel on its way; the tag of its own waits.
struct Attempt {
  std::shared_ptr<grpc::Channel> channel;
  gpr_timespec deadline;
  Connector::Done done;
};

}  // namespace

struct Connector::Impl {
  Impl() : thread([this] { run(); }) {}

  /// Tells how the attempt ended, or waits for the channel's next state.
  void go_on(std::unique_ptr<Attempt> attempt) {
    const grpc_connectivity_state state = attempt->channel->GetState(true);
    if (state == GRPC_CHANNEL_READY) return attempt->done(End::connected);
    const bool failed = state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN;
    if (failed) return attempt->done(End::failed);
    if (real_ms_until(attempt->deadline) == 0) return attempt->done(End::out_of_time);
    const std::lock_guard lock(mutex);
    if (ending) return;
    const gpr_timespec round = gpr_time_min(real_deadline(kRound), attempt->deadline);
    grpc::Channel& channel = *attempt->channel;
    channel.NotifyOnStateChange(state, round, &queue, attempt.release());
  }

  void run() {
    void* tag = nullptr;
    bool changed = false;
    while (queue.Next(&tag, &changed)) {
      // Whoever put the attempt in did so under the mutex: behind it, all he wrote is seen.
      { const std::lock_guard lock(mutex); }
      go_on(std::unique_ptr<Attempt>(static_cast<Attempt*>(tag)));
    }
  }

  std::mutex mutex;
  bool ending{false};  // under the mutex: nothing enters the queue after its shutdown
  grpc::CompletionQueue queue;
  std::thread thread;
};

Connector::Connector() : impl_(std::make_unique<Impl>()) {}

Connector::~Connector() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->ending = true;
    impl_->queue.Shutdown();
  }
  impl_->thread.join();
}

void Connector::start(std::shared_ptr<grpc::Channel> channel, Duration limit, Done done) {
  auto attempt = std::make_unique<Attempt>();
  attempt->channel = std::move(channel);
  attempt->deadline = real_deadline(limit);
  attempt->done = std::move(done);
  impl_->go_on(std::move(attempt));
}

}  // namespace ichor
