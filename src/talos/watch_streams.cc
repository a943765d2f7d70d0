#include "talos/watch_streams.h"

#include <array>
#include <atomic>
#include <grpcpp/alarm.h>
#include <grpcpp/support/client_callback.h>
#include <string>
#include <utility>
#include <vector>

#include "talos/rpc.h"

namespace ichor {

namespace {

using cosi::resource::WatchRequest;
using cosi::resource::WatchResponse;

/// One kind of resource whose changes matter. With an id the watch is over that one only.
struct Kind {
  const char* name_space;
  const char* type;
  const char* id;
};

// The first is the one that every node has.
constexpr std::array<Kind, 4> kKinds{{
    {"runtime", "MachineStatuses.runtime.talos.dev", "machine"},
    {"runtime", "Services.v1alpha1.talos.dev", nullptr},
    {"etcd", "EtcdMembers.etcd.talos.dev", nullptr},
    {"k8s", "NodeStatuses.kubernetes.talos.dev", nullptr},
}};

/// What the streams of one watch share, on the loop.
struct Hub {
  Bell* bell{nullptr};  // null until all streams stand, and once the watch is gone
  int unsettled{0};
  bool out_of_time{false};
  std::optional<CallError> failure;
  Signal changed;

  void ring() const {
    if (bell) bell->ring();
  }
  void settle() {
    --unsettled;
    changed.notify_all();
  }
};

/// One server stream. gRPC's threads own it until OnDone; the connection and the watch hold it to
/// cancel it.
class WatchStream final : public grpc::ClientReadReactor<WatchResponse>,
                          public OpenStream,
                          public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(const Kind& kind, bool required, std::shared_ptr<Hub> hub,
              std::shared_ptr<Connection> connection)
      : required_(required), hub_(std::move(hub)), connection_(std::move(connection)) {
    request_.set_namespace_(kind.name_space);
    request_.set_type(kind.type);
    if (kind.id) request_.set_id(kind.id);
    request_.set_api_version(1);
  }

  void begin() {
    self_ = shared_from_this();
    connection_->stream_opened(self_);
    connection_->address(context_);
    connection_->state()->Watch(&context_, &request_, this);
    StartRead(&reply_);
    StartCall();
  }

  void cancel() override { context_.TryCancel(); }

  // On gRPC's threads.

  void OnReadDone(bool ok) override {
    if (!ok) return;
    // At most one notice is under way, so a flood of events cannot fill the loop.
    if (!noticed_.exchange(true)) {
      connection_->mailbox().post([self = shared_from_this()] { self->on_message(); });
    }
    StartRead(&reply_);
  }

  void OnDone(const grpc::Status& status) override {
    connection_->mailbox().post([self = std::move(self_), status] { self->on_end(status); });
  }

 private:
  // On the loop.

  /// The first message is empty and says that the watch stands; every later one is a change.
  void on_message() {
    noticed_ = false;
    if (!std::exchange(stands_, true)) hub_->settle();
    hub_->ring();
  }

  void on_end(const grpc::Status& status) {
    CallError error = call_error(Call::watch, status, *connection_);
    if (status.ok()) error.text = "the node ended the stream";
    const bool not_served = !stands_ && error.progress == Progress::answered;
    if (!not_served || required_) {
      if (!hub_->failure) hub_->failure = std::move(error);
    }
    if (!std::exchange(stands_, true)) hub_->settle();
    hub_->changed.notify_all();
    connection_->stream_closed(this);
    hub_->ring();
  }

  const bool required_;
  std::shared_ptr<Hub> hub_;
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<WatchStream> self_;
  grpc::ClientContext context_;
  WatchRequest request_;
  WatchResponse reply_;
  std::atomic<bool> noticed_{false};
  bool stands_{false};
};

class MergedWatch final : public Watch {
 public:
  MergedWatch(std::shared_ptr<Hub> hub, std::vector<std::shared_ptr<WatchStream>> streams)
      : hub_(std::move(hub)), streams_(std::move(streams)) {}
  MergedWatch(const MergedWatch&) = delete;
  MergedWatch& operator=(const MergedWatch&) = delete;
  ~MergedWatch() override {
    hub_->bell = nullptr;
    for (const auto& stream : streams_) stream->cancel();
  }

  bool alive() const override { return !hub_->failure; }

 private:
  std::shared_ptr<Hub> hub_;
  std::vector<std::shared_ptr<WatchStream>> streams_;
};

}  // namespace

Task<CallResult<std::unique_ptr<Watch>>> open_watch(Context context,
                                                    std::shared_ptr<Connection> connection,
                                                    Bell& changed) {
  if (auto error = cannot_start(context, *connection, Call::watch)) {
    co_return tl::unexpected(*error);
  }
  const auto hub = std::make_shared<Hub>();
  std::vector<std::shared_ptr<WatchStream>> streams;
  for (const Kind& kind : kKinds) {
    const bool required = &kind == &kKinds.front();
    streams.push_back(std::make_shared<WatchStream>(kind, required, hub, connection));
    streams.back()->begin();
    ++hub->unsettled;
  }
  auto watch = std::make_unique<MergedWatch>(hub, std::move(streams));
  // A watch has no deadline on the wire, so establishing it gets one here, in real time.
  grpc::Alarm alarm;
  const auto on_alarm = [hub, mailbox = connection->mailbox_ref()](bool rang) {
    if (!rang) return;
    mailbox->post([hub] {
      hub->out_of_time = true;
      hub->changed.notify_all();
    });
  };
  alarm.Set(real_deadline(real_limit(context, kCallLimit)), on_alarm);
  const Context patient = until_settled(context);
  Wake wake = Wake::signalled;
  while (hub->unsettled > 0 && !hub->failure && !hub->out_of_time && wake != Wake::cancelled) {
    wake = co_await hub->changed.wait(patient);
  }
  if (hub->failure) co_return tl::unexpected(*hub->failure);
  if (hub->unsettled > 0) {
    const Code code = hub->out_of_time ? Code::deadline_exceeded : Code::cancelled;
    co_return tl::unexpected(CallError{Call::watch, Progress::sent, TlsVerdict::fine, code,
                                       "the watch was not established"});
  }
  // What changed while they were opened is told by one ring. A watch that never stood rings not at
  // all: whoever opens it learns that by the result, and would only open it again at once.
  hub->bell = &changed;
  changed.ring();
  co_return watch;
}

}  // namespace ichor
