#include "lab/net/gate.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <utility>

namespace ichor::lab {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr int kBacklog = 512;

}  // namespace

Gate::Gate(asio::io_context& io, std::string address, std::uint16_t port, Handover handover)
    : io_(io), address_(std::move(address)), port_(port), handover_(std::move(handover)) {}

Gate::~Gate() {
  acceptor_.reset();
  cut_all();
}

Result<void> Gate::open(std::shared_ptr<const TlsContext> context) {
  context_ = std::move(context);
  return settle();
}

void Gate::close() {
  context_.reset();
  (void)settle();
}

void Gate::set_silent(bool silent) {
  silent_ = silent;
  (void)settle();
  for (const auto& tunnel : std::vector(tunnels_)) tunnel->hold(silent);
}

void Gate::set_refusing(bool refusing) {
  refusing_ = refusing;
  (void)settle();
}

void Gate::slow_down(Duration delay, int bytes_per_s) {
  delay_ = delay;
  bytes_per_s_ = bytes_per_s;
  for (const auto& tunnel : tunnels_) tunnel->slow_down(delay, bytes_per_s);
}

void Gate::hush_all() {
  for (const auto& tunnel : tunnels_) tunnel->hush();
}

Result<void> Gate::settle() {
  const Mode wanted = silent_                            ? Mode::silent
                      : context_ == nullptr || refusing_ ? Mode::closed
                                                         : Mode::open;
  if (wanted == mode_) return {};
  acceptor_.reset();
  fillers_.clear();
  mode_ = Mode::closed;
  if (wanted == Mode::closed) return {};
  if (auto listening = listen(wanted == Mode::open ? kBacklog : 0); !listening) return listening;
  mode_ = wanted;
  if (wanted == Mode::open) {
    accept();
  } else {
    fill_queue();
  }
  return {};
}

Result<void> Gate::listen(int backlog) {
  boost::system::error_code error;
  const tcp::endpoint endpoint(asio::ip::make_address(address_, error), port_);
  auto acceptor = std::make_shared<tcp::acceptor>(io_);
  if (!error) acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(backlog, error);
  if (error) {
    return fail(Errc::io, "cannot listen on " + address_ + ":" + std::to_string(port_) + ": " +
                              error.message());
  }
  acceptor_ = std::move(acceptor);
  return {};
}

void Gate::accept() {
  // A connection that was accepted just before the listener went is dropped with it.
  auto then = [this, listener = std::weak_ptr(acceptor_)](const boost::system::error_code& error,
                                                          tcp::socket socket) {
    if (listener.expired()) return;
    if (!error) {
      Tunnel::Owner& owner = *this;
      auto tunnel = std::make_shared<Tunnel>(std::move(socket), context_, owner);
      tunnels_.push_back(tunnel);
      tunnel->slow_down(delay_, bytes_per_s_);
      tunnel->start();
    }
    accept();
  };
  acceptor_->async_accept(std::move(then));
}

void Gate::fill_queue() {
  // The kernel drops connection requests while the queue of a listener is full. With a backlog of
  // zero one connection fills it; a second one makes sure.
  boost::system::error_code ignored;
  const tcp::endpoint endpoint(asio::ip::make_address(address_, ignored), port_);
  for (int i = 0; i < 2; ++i) {
    fillers_.push_back(std::make_unique<tcp::socket>(io_));
    fillers_.back()->async_connect(endpoint, [](const boost::system::error_code&) {});
  }
}

void Gate::cut_all() {
  for (const auto& tunnel : std::exchange(tunnels_, {})) tunnel->cut();
}

void Gate::retire_all(Duration quiet) {
  for (const auto& tunnel : std::vector(tunnels_)) tunnel->retire(quiet);
}

std::unique_ptr<Inside> Gate::on_tunnel_open(const std::shared_ptr<Tunnel>& tunnel,
                                             const Peer& peer) {
  return handover_(tunnel, peer);
}

void Gate::on_tunnel_end(Tunnel& tunnel) {
  std::erase_if(tunnels_, [&](const auto& other) { return other.get() == &tunnel; });
}

}  // namespace ichor::lab
