#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "lab/net/inside.h"
#include "lab/net/tls_context.h"

namespace ichor::lab {

/// One TLS connection from outside, carried in the clear to a server inside this process. Between
/// the two a fault can hold, delay or cut its bytes. Lives on the loop's thread and keeps itself
/// alive until it has ended.
class Tunnel : public std::enable_shared_from_this<Tunnel> {
 public:
  struct Owner {
    virtual ~Owner() = default;
    /// The handshake is over. The result serves the client; null: it is not served.
    virtual std::unique_ptr<Inside> on_tunnel_open(const std::shared_ptr<Tunnel>& tunnel,
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

  void handshake();
  void open();
  void pump();
  bool pull_inward();
  bool push_inward();
  bool pull_outward();
  bool push_outward();
  void take_in(Lane& lane, const char* bytes, std::size_t size);
  /// Comes back to pump() when the socket is ready for what TLS wants.
  void await_tls(int error);
  void await(boost::asio::socket_base::wait_type what, bool& awaited);
  /// Comes back to pump() soon.
  void wake();
  void say_goodbye();
  void drain();
  void end();
  void arm_limit(Duration limit, void (Tunnel::*then)());

  boost::asio::ip::tcp::socket outside_;
  std::unique_ptr<Inside> inside_;
  std::shared_ptr<const TlsContext> context_;
  Owner* owner_;
  ssl_st* tls_;
  boost::asio::steady_timer limit_;
  Lane inward_;   // from the client to the server inside
  Lane outward_;  // and back
  bool awaits_read_{false};
  bool awaits_write_{false};
  bool woken_{false};
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
