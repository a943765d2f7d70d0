#include "talos/watch_streams.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "talos/rpc.h"

namespace ichor {

namespace {

/// One kind of resource whose changes matter. With an id the watch is over that one only.
struct Kind {
  const char* name_space;
  const char* type;
  const char* id;
};

// The first is the one that every node has, and its changes are urgent.
constexpr std::array<Kind, 5> kKinds{{
    {"runtime", "MachineStatuses.runtime.talos.dev", "machine"},
    {"runtime", "Services.v1alpha1.talos.dev", nullptr},
    {"etcd", "EtcdMembers.etcd.talos.dev", nullptr},
    {"k8s", "NodeStatuses.kubernetes.talos.dev", nullptr},
    {"k8s", "StaticPodStatuses.kubernetes.talos.dev", nullptr},  // the API server's among them
}};

cosi::resource::WatchRequest request_for(const Kind& kind) {
  cosi::resource::WatchRequest request;
  request.set_namespace_(kind.name_space);
  request.set_type(kind.type);
  if (kind.id) request.set_id(kind.id);
  request.set_api_version(1);
  // The server dereferences the options without asking whether they are there.
  request.mutable_options();
  return request;
}

class MergedWatch final : public Watch {
 public:
  MergedWatch(Context context, std::shared_ptr<Connection> connection)
      : context_{context.clock, &scope_, kNever}, connection_(std::move(connection)) {}
  MergedWatch(const MergedWatch&) = delete;
  MergedWatch& operator=(const MergedWatch&) = delete;

  bool alive() const override { return !failure_; }

  /// Opens every stream and returns when all stand, or the first required one failed.
  Task<CallResult<void>> open(Context context) {
    const Duration limit = real_limit(context, kCallLimit);
    for (const Kind& kind : kKinds) {
      Stream& stream = streams_[static_cast<std::size_t>(&kind - kKinds.data())];
      stream.required = &kind == &kKinds.front();
      stream.urgent = stream.required;
      // The stream itself lasts for as long as anybody listens; establishing it has a limit.
      stream.call = connection_->start(method::kWatch.path, grpc::Channel::kNoLimit,
                                       method::kWatch.reply_bytes_max);
      connection_->register_stream(stream.call);
      stream.call->send(request_for(kind).SerializeAsString());
      stream.call->close_sending();
      stream.reader = follow(stream);
      stream.reader.start();
    }
    bool out_of_time = false;
    const auto alarm = connection_->after(limit, [this, &out_of_time] {
      out_of_time = true;
      settled_.notify_all();
    });
    const Context patient = until_settled(context);
    Wake wake = Wake::signalled;
    while (unsettled_ > 0 && !failure_ && !out_of_time && wake != Wake::cancelled) {
      wake = co_await settled_.wait(patient);
    }
    if (failure_) co_return tl::unexpected(*failure_);
    if (unsettled_ > 0) {
      const Code code = out_of_time ? Code::deadline_exceeded : Code::cancelled;
      co_return tl::unexpected(CallError{Call::watch, Progress::sent, TlsVerdict::fine, code,
                                         "the watch was not established"});
    }
    co_return CallResult<void>();
  }

  /// What changes from now on rings; what changed while the streams were opened is one ring. A
  /// watch that never stood rings not at all: whoever opens it learns that by the result, and would
  /// only open it again at once.
  void ring_from_now_on(Bell& changed) {
    bell_ = &changed;
    bell_->ring();
  }

 private:
  struct Stream {
    bool required{false};
    bool urgent{false};
    bool stands{false};
    std::shared_ptr<grpc::ClientCall> call;
    Task<void> reader;
  };

  /// The first message has no event and says that the watch stands; every later one is a change.
  Task<void> follow(Stream& stream) {
    while (!stream.call->ended() || stream.call->has_message()) {
      co_await await_news(context_, stream.call);
      if (!stream.call->has_message()) continue;
      // What changed is not looked at, so one ring is enough for all that waits.
      while (stream.call->has_message()) (void)stream.call->take_message();
      const bool stood = std::exchange(stream.stands, true);
      if (!stood) settle();
      // A booting node changes many services a second. Its stage must not wait among them.
      stood&& stream.urgent ? ring_urgently() : ring();
    }
    CallError error = connection_->error_of(Call::watch, *stream.call);
    if (stream.call->end().ok()) error.text = "the node ended the stream";
    const bool not_served = !stream.stands && error.progress == Progress::answered;
    if (!not_served || stream.required) {
      if (!failure_) failure_ = std::move(error);
    }
    if (!std::exchange(stream.stands, true)) settle();
    settled_.notify_all();
    ring();
  }

  void settle() {
    --unsettled_;
    settled_.notify_all();
  }
  void ring() const {
    if (bell_) bell_->ring();
  }
  void ring_urgently() const {
    if (bell_) bell_->ring_urgently();
  }

  CancelScope scope_;
  Context context_;
  std::shared_ptr<Connection> connection_;
  Bell* bell_{nullptr};
  int unsettled_{static_cast<int>(kKinds.size())};
  std::optional<CallError> failure_;
  Signal settled_;
  std::array<Stream, kKinds.size()> streams_;
};

}  // namespace

Task<CallResult<std::unique_ptr<Watch>>> open_watch(Context context,
                                                    std::shared_ptr<Connection> connection,
                                                    Bell& changed) {
  if (auto error = cannot_start(context, *connection, Call::watch)) {
    co_return tl::unexpected(*error);
  }
  auto watch = std::make_unique<MergedWatch>(context, std::move(connection));
  auto opened = co_await watch->open(context);
  if (!opened) co_return forward_error(opened);
  watch->ring_from_now_on(changed);
  co_return watch;
}

}  // namespace ichor
