#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/net/tunnel.h"

namespace boost::asio {
class io_context;
}

namespace ichor::lab {

/// A port of a loopback address, and the connections that came in through it. Lives on the loop's
/// thread. Closed, the kernel refuses; open, TLS is spoken; silent, not even the
/// kernel answers.
class Gate final : private Tunnel::Owner {
 public:
  /// Who serves a connection whose handshake is over; null: it is not served.
  using Handover = std::function<std::unique_ptr<Inside>(const std::shared_ptr<Tunnel>& tunnel,
                                                         const Peer& peer)>;

  Gate(boost::asio::io_context& io, std::string address, std::uint16_t port, Handover handover);
  ~Gate() override;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Listens, or goes on listening with another certificate; connections that are there stay.
  Result<void> open(std::shared_ptr<const TlsContext> context);
  /// Stops listening; connections that are there stay.
  void close();
  bool is_open() const { return context_ != nullptr; }

  /// As if the machine had vanished: new connections hang, and no byte moves on those that are
  /// there.
  void set_silent(bool silent);
  /// As if no program listened, while the server goes on.
  void set_refusing(bool refusing);
  void slow_down(Duration delay, int bytes_per_s);
  /// No byte moves any more on the connections that are there; new ones are served.
  void hush_all();

  void cut_all();
  void retire_all(Duration quiet);
  std::size_t connection_count() const { return tunnels_.size(); }

  const std::string& address() const { return address_; }

 private:
  std::unique_ptr<Inside> on_tunnel_open(const std::shared_ptr<Tunnel>& tunnel,
                                         const Peer& peer) override;
  void on_tunnel_end(Tunnel& tunnel) override;
  Result<void> settle();
  Result<void> listen(int backlog);
  void accept();
  void fill_queue();

  boost::asio::io_context& io_;
  std::string address_;
  std::uint16_t port_;
  Handover handover_;
  std::shared_ptr<const TlsContext> context_;
  enum class Mode { closed, open, silent };
  Mode mode_{Mode::closed};
  bool silent_{false};
  bool refusing_{false};
  Duration delay_{};
  int bytes_per_s_{0};
  std::shared_ptr<boost::asio::ip::tcp::acceptor> acceptor_;
  std::vector<std::unique_ptr<boost::asio::ip::tcp::socket>> fillers_;
  std::vector<std::shared_ptr<Tunnel>> tunnels_;
};

}  // namespace ichor::lab
