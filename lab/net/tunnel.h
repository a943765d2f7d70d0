#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "lab/net/tls_context.h"

namespace ichor::lab {

/// One TLS connection from outside, carried in the clear to a server inside this process through a
/// pair of sockets. Lives on the loop's thread and keeps itself alive until it has ended.
///
/// Why not let gRPC do TLS: 1.51 cannot demand TLS 1.3, cannot look at a client's key usage within
/// the handshake, and does not let a test hold, delay or cut the bytes of one connection.
class Tunnel : public std::enable_shared_from_this<Tunnel> {
 public:
  struct Owner {
    virtual ~Owner() = default;
    /// The handshake is over; `inner_fd` is the clear side, and is the owner's from now on.
    virtual void on_tunnel_open(const std::shared_ptr<Tunnel>& tunnel, int inner_fd,
                                const Peer& peer) = 0;
    /// It has ended, or never came to be.
    virtual void on_tunnel_end(Tunnel& tunnel) = 0;
  };

  Tunnel(boost::asio::ip::tcp::socket outside, std::shared_ptr<const TlsContext> context,
         Owner& owner);
  ~Tunnel();
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

  void start();
  /// Ends it at once; the client sees a reset.
  void cut();
  /// Lets what is on its way to the client arrive, and ends when nothing has moved for `quiet`.
  void retire(Duration quiet);
  /// While held, not a byte moves in either direction.
  void hold(bool holding);
  /// For ever, whatever hold() says: as if the other end had forgotten the connection.
  void hush();
  /// Every piece of data waits this long, in real time, in each direction, and as long again as it
  /// takes at this rate; 0: at any rate.
  void slow_down(Duration delay, int bytes_per_s) {
    delay_ = delay;
    bytes_per_s_ = bytes_per_s;
  }

 private:
  /// One direction. `pending` was read on one side and not yet written on the other.
  struct Lane {
    explicit Lane(boost::asio::any_io_executor executor) : timer(executor) {}
    std::string pending;
    bool delayed{false};
    boost::asio::steady_timer timer;
    bool free() const { return pending.empty() && !delayed; }
    bool due() const { return !pending.empty() && !delayed; }
  };
  enum class Side { outside_read, outside_write, inside_read, inside_write };

  void handshake();
  void open();
  void pump();
  bool pull_inward();
  bool push_inward();
  bool pull_outward();
  bool push_outward();
  void take_in(Lane& lane, const char* bytes, std::size_t size);
  /// Comes back to pump() when the socket is ready.
  void await(Side side);
  void await_tls(int error);
  void say_goodbye();
  void drain();
  void end();
  void arm_limit(Duration limit, void (Tunnel::*then)());

  boost::asio::ip::tcp::socket outside_;
  boost::asio::local::stream_protocol::socket inside_;
  std::shared_ptr<const TlsContext> context_;
  Owner* owner_;
  ssl_st* tls_;
  boost::asio::steady_timer limit_;
  Lane inward_;   // from the client to the server inside
  Lane outward_;  // and back
  bool awaited_[4]{};
  Duration delay_{};
  int bytes_per_s_{0};
  Duration quiet_{};
  bool open_{false};
  bool held_{false};
  bool hushed_{false};
  bool retiring_{false};
  bool leaving_{false};  // everything was said; waiting for the client's end
  bool ended_{false};
};

}  // namespace ichor::lab
