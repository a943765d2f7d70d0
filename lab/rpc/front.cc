#include "lab/rpc/front.h"

#include <charconv>
#include <deque>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/server_posix.h>
#include <map>
#include <mutex>
#include <utility>

#include "base/check.h"

namespace ichor::lab {

namespace {

constexpr int kMessageMax = 32 << 20;
constexpr std::size_t kQueueMax = 20'000;

std::string to_string(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  (void)buffer.Dump(&slices);
  std::string bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

grpc::ByteBuffer to_buffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

class Reactor;

/// The half of a call that both threads hold. `reactor` is null once gRPC is done with it.
struct Line {
  std::mutex mutex;
  Reactor* reactor{nullptr};
  std::deque<std::string> queue;
  bool writing{false};
  bool finishing{false};  // finish() was called
  bool finished{false};   // and gRPC was told
  grpc::Status status;
};

class Reactor final : public grpc::ServerGenericBidiReactor {
 public:
  using OnMessage = std::function<void(std::string)>;
  using OnOver = std::function<void()>;

  Reactor(std::shared_ptr<Line> line, OnMessage on_message, OnOver on_over)
      : line_(std::move(line)), on_message_(std::move(on_message)), on_over_(std::move(on_over)) {
    line_->reactor = this;
    StartRead(&incoming_);
  }

  void OnReadDone(bool ok) override {
    // A unary call without a message is the client's mistake; an empty one parses as all zero.
    if (ok) {
      on_message_(to_string(incoming_));
    } else {
      end(grpc::Status(grpc::StatusCode::INTERNAL, "no message came"));
    }
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(line_->mutex);
    line_->writing = false;
    if (!ok) line_->queue.clear();
    advance();
  }

  void OnCancel() override { end(grpc::Status::CANCELLED); }

  void OnDone() override {
    {
      const std::lock_guard lock(line_->mutex);
      line_->reactor = nullptr;
    }
    on_over_();
    delete this;
  }

  /// Does the next thing that gRPC may be asked for; the line is locked.
  void advance() {
    if (line_->writing || line_->finished) return;
    if (!line_->queue.empty()) {
      outgoing_ = to_buffer(line_->queue.front());
      line_->queue.pop_front();
      line_->writing = true;
      StartWrite(&outgoing_);
    } else if (line_->finishing) {
      line_->finished = true;
      Finish(line_->status);
    }
  }

 private:
  void end(const grpc::Status& status) {
    const std::lock_guard lock(line_->mutex);
    line_->queue.clear();
    if (!std::exchange(line_->finishing, true)) line_->status = status;
    advance();
  }

  std::shared_ptr<Line> line_;
  OnMessage on_message_;
  OnOver on_over_;
  grpc::ByteBuffer incoming_;
  grpc::ByteBuffer outgoing_;
};

class FrontCall final : public ServerCall {
 public:
  FrontCall(const grpc::GenericCallbackServerContext& context, std::uint64_t connection,
            std::shared_ptr<Line> line)
      : path_(context.method()), connection_(connection), line_(std::move(line)) {
    for (const auto& [key, value] : context.client_metadata()) {
      headers_.emplace(std::string(key.data(), key.size()),
                       std::string(value.data(), value.size()));
    }
  }

  const std::string& path() const override { return path_; }
  std::uint64_t connection() const override { return connection_; }
  const std::string& request() const override { return request_; }

  std::vector<std::string> header(std::string_view key) const override {
    std::vector<std::string> values;
    const auto [begin, end] = headers_.equal_range(std::string(key));
    for (auto at = begin; at != end; ++at) values.push_back(at->second);
    return values;
  }

  void write(std::string message) override {
    const std::lock_guard lock(line_->mutex);
    if (line_->reactor == nullptr || line_->finishing) return;
    if (line_->queue.size() >= kQueueMax) {
      line_->queue.clear();
      line_->finishing = true;
      line_->status =
          grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "the client reads too slowly");
    } else {
      line_->queue.push_back(std::move(message));
    }
    line_->reactor->advance();
  }

  void finish(Code code, const std::string& text) override {
    const std::lock_guard lock(line_->mutex);
    if (line_->reactor == nullptr || std::exchange(line_->finishing, true)) return;
    line_->status = grpc::Status(static_cast<grpc::StatusCode>(code), text);
    line_->reactor->advance();
  }

  void on_end(std::function<void()> ended) override { ended_ = std::move(ended); }

  void set_request(std::string request) { request_ = std::move(request); }
  void over() {
    if (const auto ended = std::exchange(ended_, nullptr)) ended();
  }

 private:
  std::string path_;
  std::multimap<std::string, std::string> headers_;
  std::uint64_t connection_;
  std::string request_;
  std::shared_ptr<Line> line_;
  std::function<void()> ended_;
};

}  // namespace

struct RpcFront::Impl final : grpc::CallbackGenericService {
  Impl(LoopClock& loop, OnCall on_call) : loop(loop), on_call(std::move(on_call)) {
    grpc::ServerBuilder builder;
    builder.RegisterCallbackGenericService(this);
    builder.SetMaxReceiveMessageSize(kMessageMax);
    builder.SetMaxSendMessageSize(kMessageMax);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 1000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    server = builder.BuildAndStart();
    check(server != nullptr, "the gRPC server did not start");
  }

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    auto line = std::make_shared<Line>();
    auto call = std::make_shared<FrontCall>(*context, connection_of(context->peer()), line);
    return new Reactor(
        line,
        [this, call](std::string message) {
          call->set_request(std::move(message));
          loop.post([this, call] { on_call(call); });
        },
        [this, call] { loop.post([call] { call->over(); }); });
  }

  /// gRPC calls the peer of an adopted socket "fd:" and its number.
  std::uint64_t connection_of(std::string_view peer) {
    int fd = -1;
    if (const std::size_t at = peer.find("fd:"); at != peer.npos) {
      std::from_chars(peer.data() + at + 3, peer.data() + peer.size(), fd);
    }
    const std::lock_guard lock(mutex);
    const auto found = connections.find(fd);
    return found == connections.end() ? 0 : found->second;
  }

  LoopClock& loop;
  OnCall on_call;
  std::mutex mutex;
  std::map<int, std::uint64_t> connections;  // by descriptor; the last user of a number counts
  std::unique_ptr<grpc::Server> server;
};

RpcFront::RpcFront(LoopClock& loop, OnCall on_call)
    : impl_(std::make_unique<Impl>(loop, std::move(on_call))) {}

RpcFront::~RpcFront() { impl_->server->Shutdown(gpr_inf_past(GPR_CLOCK_REALTIME)); }

void RpcFront::adopt(int fd, std::uint64_t connection) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->connections[fd] = connection;
  }
  grpc::AddInsecureChannelFromFd(impl_->server.get(), fd);
}

}  // namespace ichor::lab
