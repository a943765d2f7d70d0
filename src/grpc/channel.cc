#include "grpc/channel.h"

#include <fmt/format.h>
#include <utility>

namespace ichor::grpc {

namespace {

constexpr int kPingsWithoutContentMax = 2;

}  // namespace

struct Channel::TimedCall {
  std::unique_ptr<ClientCall> call;
  std::shared_ptr<void> deadline;
};

Channel::Channel(TlsStream stream, Options options)
    : options_(std::move(options)),
      http2_(Http2Client::make(options_.authority, options_.limits)),
      keepalive_(stream.executor()) {
  Pump::Hooks hooks;
  hooks.received = [this](std::string_view bytes) {
    http2_->receive(bytes);
    if (http2_->greeted() && !std::exchange(was_greeted_, true)) changed_.notify_all();
  };
  hooks.ended = [this](const std::string& why) {
    keepalive_.cancel();
    http2_->end(why);
    changed_.notify_all();
  };
  pump_ = std::make_shared<Pump>(std::move(stream), http2_, std::move(hooks));
  pump_->start();
}

Channel::~Channel() {
  pump_->close();
  http2_->end("the connection was closed");
}

std::shared_ptr<ClientCall> Channel::start(CallRequest request, Duration limit) {
  if (limit != kNoLimit) {
    using Time = boost::asio::steady_timer::clock_type;
    request.timeout = limit;
    request.out_of_time = [due = Time::now() + limit] { return Time::now() >= due; };
  }
  const auto timed = std::make_shared<TimedCall>();
  timed->call = http2_->start(std::move(request));
  if (limit != kNoLimit && !timed->call->ended()) {
    timed->deadline = after(limit, [&call = *timed->call] {
      call.cancel(Code::deadline_exceeded, "no answer within the time of the call",
                  EndedBy::deadline);
    });
  }
  if (!keepalive_armed_) arm_keepalive(options_.ping_after);
  return {timed, timed->call.get()};
}

std::shared_ptr<void> Channel::after(Duration limit, std::function<void()> then) {
  const auto timer = std::make_shared<boost::asio::steady_timer>(keepalive_.get_executor(), limit);
  // A timer that has fired cannot be taken back, so its handler asks whether anybody still waits.
  timer->async_wait([weak = std::weak_ptr(timer),
                     then = std::move(then)](const boost::system::error_code& error) {
    const auto awaited = weak.lock();
    if (!error && awaited) then();
  });
  return timer;
}

void Channel::arm_keepalive(Duration after) {
  keepalive_armed_ = true;
  keepalive_.expires_after(after);
  // A handler that is queued already when this object ends comes without an error.
  keepalive_.async_wait(
      [this, here = std::weak_ptr(here_)](const boost::system::error_code& error) {
        if (error || here.expired()) return;
        keepalive_armed_ = false;
        check_keepalive();
      });
}

void Channel::check_keepalive() {
  if (!alive()) return;
  const bool heard = std::exchange(seen_bytes_, pump_->received_bytes()) != pump_->received_bytes();
  if (std::exchange(seen_content_, http2_->content_frames()) != http2_->content_frames()) {
    pings_without_content_ = 0;
  }
  if (!heard && std::exchange(ping_open_, false)) {
    pump_->cut();
    http2_->end(fmt::format(
        "no answer to a keepalive ping within {} s",
        std::chrono::duration_cast<std::chrono::seconds>(options_.pong_within).count()));
    changed_.notify_all();
    return;
  }
  ping_open_ = false;
  if (http2_->open_calls() == 0) return;  // the next call arms it again
  if (heard || pings_without_content_ == kPingsWithoutContentMax) {
    arm_keepalive(options_.ping_after);
    return;
  }
  ++pings_without_content_;
  ping_open_ = true;
  http2_->ping();
  arm_keepalive(options_.pong_within);
}

}  // namespace ichor::grpc
