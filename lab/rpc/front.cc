#include "lab/rpc/front.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>
#include <map>
#include <utility>

#include "grpc/http2_server.h"

namespace ichor::lab {

namespace {

using Stream = grpc::Http2Server::Call;

/// A database of a real cluster fits.
constexpr std::size_t kUploadMax = 256u << 20;

/// The one method of Talos' API that takes many messages for one.
bool is_upload(const std::string& path) { return path == "/machine.MachineService/EtcdRecover"; }

class FrontCall final : public ServerCall, public std::enable_shared_from_this<FrontCall> {
 public:
  FrontCall(Stream stream, std::uint64_t connection, boost::asio::io_context& io)
      : stream_(std::move(stream)), connection_(connection), deadline_(io) {}

  const std::string& path() const override { return stream_->path(); }
  std::uint64_t connection() const override { return connection_; }
  const std::string& request() const override { return request_; }

  std::vector<std::string> header(std::string_view key) const override {
    std::vector<std::string> values;
    for (const auto& [name, value] : stream_->metadata()) {
      if (name == key) values.push_back(value);
    }
    return values;
  }

  void write(std::string message) override {
    if (stream_->over() || stream_->write(message)) return;
    finish(Code::resource_exhausted, "the client reads too slowly");
  }
  void finish(Code code, const std::string& text) override { stream_->finish(code, text); }
  void on_end(std::function<void()> ended) override { ended_ = std::move(ended); }

  /// As grpc-go: a call without time is answered, one that runs out of it later is reset.
  void keep_deadline() {
    if (!stream_->timeout()) return;
    if (*stream_->timeout() <= Duration{}) {
      stream_->finish(Code::deadline_exceeded, "context deadline exceeded");
      return;
    }
    deadline_.expires_after(*stream_->timeout());
    deadline_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
      const auto call = weak.lock();
      if (!error && call) call->stream_->reset();
    });
  }

  void set_request(std::string request) {
    request_ = std::move(request);
    started_ = true;
  }
  bool started() const { return started_; }
  /// For uploads: another message. False beyond what a lab takes.
  bool add(const std::string& message) {
    if (message.size() > kUploadMax - request_.size()) return false;
    request_ += message;
    return true;
  }
  void start() { started_ = true; }
  void over() {
    deadline_.cancel();
    if (const auto ended = std::exchange(ended_, nullptr)) ended();
  }

 private:
  Stream stream_;
  std::uint64_t connection_;
  boost::asio::steady_timer deadline_;
  std::string request_;
  bool started_{false};
  std::function<void()> ended_;
};

/// One connection's server as the clear side of a tunnel.
class FrontInside final : public Inside {
 public:
  explicit FrontInside(std::shared_ptr<grpc::Http2Server> http2) : http2_(std::move(http2)) {
    http2_->on_output = [this] {
      if (ready) ready();
    };
  }
  FrontInside(const FrontInside&) = delete;
  FrontInside& operator=(const FrontInside&) = delete;
  ~FrontInside() override {
    http2_->on_output = nullptr;
    http2_->hang_up("the connection has ended");
  }

  std::size_t give(std::string_view bytes) override {
    http2_->serve(bytes);
    return bytes.size();
  }

  Answer ask(char* buffer, std::size_t size) override {
    const std::string_view output = http2_->output().substr(0, size);
    std::memcpy(buffer, output.data(), output.size());
    const Answer answer{output.empty() ? Answer::Kind::nothing_yet : Answer::Kind::bytes,
                        output.size()};
    http2_->output_sent(output.size());
    http2_->tell_events();
    if (output.empty() && http2_->over()) return {Answer::Kind::over};
    return answer;
  }

 private:
  std::shared_ptr<grpc::Http2Server> http2_;
};

}  // namespace

struct RpcFront::Impl : std::enable_shared_from_this<Impl> {
  Impl(LoopClock& loop, OnCall on_call) : loop(loop), on_call(std::move(on_call)) {}

  /// Runs work from the loop's queue, unless the front is gone by then.
  void later(std::function<void()> work) {
    loop.post([weak = weak_from_this(), work = std::move(work)] {
      if (!weak.expired()) work();
    });
  }

  void begin(const Stream& stream, std::uint64_t connection) {
    const auto call = std::make_shared<FrontCall>(stream, connection, loop.io());
    calls.emplace(stream.get(), call);
    call->keep_deadline();
  }

  /// A node serves a call by its first message, but for an upload, which is served as a whole.
  void take(const Stream& stream) {
    const auto found = calls.find(stream.get());
    if (found == calls.end() || found->second->started()) return;
    if (is_upload(stream->path())) {
      if (!found->second->add(stream->take_message())) {
        stream->finish(Code::resource_exhausted, "the upload is too large for a lab");
      }
      return;
    }
    found->second->set_request(stream->take_message());
    later([this, call = found->second] { on_call(call); });
  }

  void half_close(const Stream& stream) {
    const auto found = calls.find(stream.get());
    if (found == calls.end() || found->second->started()) return;
    if (is_upload(stream->path())) {
      found->second->start();
      later([this, call = found->second] { on_call(call); });
      return;
    }
    stream->finish(Code::internal, "no message came");
  }

  void end(const Stream& stream) {
    const auto found = calls.find(stream.get());
    if (found == calls.end()) return;
    later([call = found->second] { call->over(); });
    calls.erase(found);
  }

  LoopClock& loop;
  OnCall on_call;
  std::map<const grpc::ServerStream*, std::shared_ptr<FrontCall>> calls;
};

RpcFront::RpcFront(LoopClock& loop, OnCall on_call)
    : impl_(std::make_shared<Impl>(loop, std::move(on_call))) {}

RpcFront::~RpcFront() = default;

std::unique_ptr<Inside> RpcFront::serve(std::uint64_t connection, grpc::Http2Limits limits) {
  grpc::Http2Server::Events events;
  const std::weak_ptr<Impl> front = impl_;
  events.on_call = [front, connection](const Stream& stream) {
    if (const auto impl = front.lock()) impl->begin(stream, connection);
  };
  events.on_message = [front](const Stream& stream) {
    if (const auto impl = front.lock()) impl->take(stream);
  };
  events.on_half_close = [front](const Stream& stream) {
    if (const auto impl = front.lock()) impl->half_close(stream);
  };
  events.on_end = [front](const Stream& stream) {
    if (const auto impl = front.lock()) impl->end(stream);
  };
  return std::make_unique<FrontInside>(grpc::Http2Server::make(std::move(events), limits));
}

}  // namespace ichor::lab
