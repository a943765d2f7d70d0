#pragma once

#include <google/protobuf/message_lite.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/loop_clock.h"
#include "talos/dial.h"

namespace ichor::lab {

/// A client of one lab node for tests: calls block, and wait until the node's port can be reached.
/// It has a loop of its own, because the lab runs on another thread.
class TestClient {
 public:
  struct Status {
    Code code{Code::ok};
    std::string text;
    bool ok() const { return code == Code::ok; }
  };

  /// `through`: the node is reached through the endpoint's apid; empty: the endpoint itself.
  TestClient(std::string address, std::optional<TalosCredentials> credentials,
             std::string through = {})
      : address_(std::move(address)),
        through_(std::move(through)),
        dialer_(clock_->io(), credentials ? &*credentials : nullptr) {}

  /// Messages of a call that is open, one after the other.
  class Stream {
   public:
    Stream(TestClient& client, std::shared_ptr<grpc::ClientCall> call)
        : client_(client), call_(std::move(call)) {}
    /// False: the call has ended.
    bool read(google::protobuf::MessageLite& message) {
      client_.run(await_news());
      if (!call_->has_message()) return false;
      return message.ParseFromString(call_->take_message());
    }
    /// To be called when read() was false.
    Status finish() const { return {call_->end().code, call_->end().text}; }

   private:
    Task<bool> await_news() {
      const Context context{client_.clock_.get(), &client_.scope_, kNever};
      while (!call_->ended() && !call_->has_message()) co_await call_->changed().wait(context);
      co_return true;
    }
    TestClient& client_;
    std::shared_ptr<grpc::ClientCall> call_;
  };

  std::unique_ptr<Stream> open(std::string_view path, const google::protobuf::MessageLite& request,
                               grpc::Metadata metadata = {}) {
    return open_raw(path, request.SerializeAsString(), std::move(metadata));
  }
  /// With bytes that need not be a message.
  std::unique_ptr<Stream> open_raw(std::string_view path, const std::string& request,
                                   grpc::Metadata metadata = {}) {
    if (!connect()) return nullptr;
    grpc::CallRequest call;
    call.path = path;
    call.metadata = std::move(metadata);
    if (!through_.empty()) call.metadata.emplace_back("node", through_);
    auto started = channel_->start(std::move(call), kPatience);
    started->send(request);
    started->close_sending();
    return std::make_unique<Stream>(*this, std::move(started));
  }

  Status call(std::string_view path, const google::protobuf::MessageLite& request,
              google::protobuf::MessageLite& reply, grpc::Metadata metadata = {}) {
    const auto stream = open(path, request, std::move(metadata));
    if (!stream) return {Code::unavailable, refused_};
    std::string last;
    while (stream->read(reply)) last = reply.SerializeAsString();
    (void)reply.ParseFromString(last);
    return stream->finish();
  }

  /// One try to connect; the error says why not.
  std::optional<CallError> try_once() {
    auto dialed = run(dial());
    if (!dialed) return dialed.error();
    channel_ = std::move(dialed->channel);
    return std::nullopt;
  }

 private:
  static constexpr Duration kPatience = std::chrono::seconds(60);
  static constexpr Duration kPause = std::chrono::milliseconds(20);

  bool connect() {
    const MonoTime until = later(clock_->now(), kPatience);
    while (!channel_ || !channel_->alive()) {
      const auto error = try_once();
      if (!error) break;
      refused_ = error->text;
      if (clock_->now() >= until) return false;
      run(pause());
    }
    return true;
  }

  Task<CallResult<Dialer::Dialed>> dial() {
    Dialer::Target target;
    target.endpoint.host = address_;
    target.address = IpAddress(address_);
    target.limit = kPatience;
    return dialer_.dial({clock_.get(), &scope_, kNever}, std::move(target));
  }
  Task<bool> pause() {
    const Context context{clock_.get(), &scope_, kNever};
    co_await sleep_for(context, kPause);
    co_return true;
  }

  template <class T>
  T run(Task<T> task) {
    std::optional<T> value;
    Task<void> root = finish(std::move(task), value);
    root.start();
    if (!value) clock_->run();
    return *std::move(value);
  }
  template <class T>
  Task<void> finish(Task<T> task, std::optional<T>& value) {
    value.emplace(co_await std::move(task));
    clock_->stop();
  }

  std::unique_ptr<LoopClock> clock_{std::make_unique<LoopClock>()};
  CancelScope scope_;
  std::string address_;
  std::string through_;
  std::string refused_;
  Dialer dialer_;
  std::unique_ptr<grpc::Channel> channel_;
};

}  // namespace ichor::lab
