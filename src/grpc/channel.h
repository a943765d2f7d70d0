#pragma once

#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "async/signal.h"
#include "base/time.h"
#include "grpc/http2_client.h"
#include "grpc/pump.h"
#include "grpc/tls_stream.h"

namespace ichor::grpc {

/// A client's end of one TLS connection: what was proved in its handshake holds for every call on
/// it, because it never connects again. All of it lives on the loop of the stream's socket.
class Channel {
 public:
  struct Options {
    std::string authority;
    Http2Limits limits;
    /// In real time, while calls are open and nothing comes in: when a ping is sent, and how long
    /// its answer may take. A server of Go hangs up on the fourth ping without data between, so at
    /// most two are sent; TCP's own keepalive watches over a connection that is silent for longer.
    Duration ping_after{std::chrono::seconds(20)};
    Duration pong_within{std::chrono::seconds(10)};
  };

  /// `stream` has finished its handshake. HTTP/2 begins at once.
  Channel(TlsStream stream, Options options);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Whether calls can be made. Once false it stays false.
  bool alive() const { return http2_->alive(); }
  /// The server has sent its settings: it takes us as a client.
  bool greeted() const { return http2_->greeted(); }
  /// Why the connection is over; empty while it is not.
  const std::string& why() const { return http2_->why(); }
  /// Wakes when the server greets and when the connection ends.
  Signal& changed() { return changed_; }

  /// Makes a call that ends after `limit` in real time at the latest; kNoLimit: whenever it likes.
  /// Dropping the call resets it.
  static constexpr Duration kNoLimit = Duration::max();
  std::shared_ptr<ClientCall> start(CallRequest request, Duration limit);

  /// Calls back once after `limit` in real time, unless the result is dropped before.
  std::shared_ptr<void> after(Duration limit, std::function<void()> then);

 private:
  struct TimedCall;
  void arm_keepalive(Duration after);
  void check_keepalive();

  Options options_;
  std::shared_ptr<Http2Client> http2_;
  std::shared_ptr<Pump> pump_;
  boost::asio::steady_timer keepalive_;
  bool keepalive_armed_{false};
  bool ping_open_{false};
  int pings_without_content_{0};
  std::uint64_t seen_bytes_{0};
  std::uint64_t seen_content_{0};
  bool was_greeted_{false};
  Signal changed_;
  std::shared_ptr<bool> here_{std::make_shared<bool>(true)};  // gone with this object
};

}  // namespace ichor::grpc
