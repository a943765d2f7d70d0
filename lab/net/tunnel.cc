#include "lab/net/tunnel.h"

#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <utility>

#include "base/check.h"

namespace ichor::lab {

namespace asio = boost::asio;

namespace {

constexpr Duration kHandshakeLimit = std::chrono::seconds(10);
/// How long a client may take to close its side after it got everything. Closing with unread
/// data would reset the connection and take the last words with it.
constexpr Duration kGoodbyeLimit = std::chrono::seconds(1);
constexpr std::size_t kPiece = 16 * 1024;

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Tunnel::Tunnel(asio::ip::tcp::socket outside, std::shared_ptr<const TlsContext> context,
               Owner& owner)
    : outside_(std::move(outside)),
      context_(std::move(context)),
      owner_(&owner),
      tls_(SSL_new(context_->handle())),
      limit_(outside_.get_executor()),
      inward_(outside_.get_executor()),
      outward_(outside_.get_executor()) {
  check(tls_ != nullptr, "OpenSSL gave no connection");
}

Tunnel::~Tunnel() { SSL_free(tls_); }

void Tunnel::start() {
  boost::system::error_code ignored;
  outside_.non_blocking(true, ignored);
  outside_.set_option(asio::ip::tcp::no_delay(true), ignored);
  SSL_set_fd(tls_, outside_.native_handle());
  SSL_set_accept_state(tls_);
  arm_limit(kHandshakeLimit, &Tunnel::end);
  handshake();
}

void Tunnel::handshake() {
  ERR_clear_error();
  const int result = SSL_accept(tls_);
  if (result == 1) {
    open();
    return;
  }
  const int error = SSL_get_error(tls_, result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    await_tls(error);
  } else {
    say_goodbye();
  }
}

void Tunnel::open() {
  const TlsSettings& settings = context_->settings();
  const unsigned char* protocol = nullptr;
  unsigned int protocol_size = 0;
  SSL_get0_alpn_selected(tls_, &protocol, &protocol_size);
  if (settings.protocol_required && protocol_size == 0) {
    end();
    return;
  }
  limit_.cancel();
  open_ = true;
  inside_ = owner_->on_tunnel_open(shared_from_this(), peer_of(tls_));
  if (ended_) return;
  if (!inside_) {
    end();
    return;
  }
  inside_->ready = [weak = weak_from_this()] {
    if (const auto tunnel = weak.lock()) tunnel->wake();
  };
  pump();
}

void Tunnel::pump() {
  if (ended_ || held_) return;
  if (leaving_) {
    drain();
    return;
  }
  if (!open_) {
    handshake();
    return;
  }
  bool moved = true;
  while (moved && !ended_ && !leaving_) {
    moved = pull_inward();
    moved = (!ended_ && push_inward()) || moved;
    moved = (!ended_ && !leaving_ && pull_outward()) || moved;
    moved = (!ended_ && !leaving_ && push_outward()) || moved;
  }
}

bool Tunnel::pull_inward() {
  if (!inward_.free()) return false;
  std::array<char, kPiece> piece;
  ERR_clear_error();
  const int size = SSL_read(tls_, piece.data(), static_cast<int>(piece.size()));
  if (size > 0) {
    take_in(inward_, piece.data(), static_cast<std::size_t>(size));
    return true;
  }
  const int error = SSL_get_error(tls_, size);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    await_tls(error);
  } else {
    end();
  }
  return false;
}

bool Tunnel::push_inward() {
  if (!inward_.due()) return false;
  // Serving a call may end this connection, and with it the server.
  std::string bytes = std::exchange(inward_.pending, {});
  const std::size_t taken = inside_->give(bytes);
  if (taken < bytes.size() && !ended_) inward_.pending = bytes.substr(taken);
  return taken > 0;
}

bool Tunnel::pull_outward() {
  if (!outward_.free()) return false;
  std::array<char, kPiece> piece;
  const Inside::Answer answer = inside_->ask(piece.data(), piece.size());
  if (ended_) return false;
  switch (answer.kind) {
    case Inside::Answer::Kind::bytes: take_in(outward_, piece.data(), answer.size); return true;
    case Inside::Answer::Kind::nothing_yet: return false;
    case Inside::Answer::Kind::over: break;
  }
  SSL_shutdown(tls_);
  say_goodbye();
  return false;
}

bool Tunnel::push_outward() {
  if (!outward_.due()) return false;
  ERR_clear_error();
  const int size =
      SSL_write(tls_, outward_.pending.data(), static_cast<int>(outward_.pending.size()));
  if (size > 0) {
    outward_.pending.erase(0, static_cast<std::size_t>(size));
    if (retiring_) arm_limit(quiet_, &Tunnel::say_goodbye);
    return true;
  }
  const int error = SSL_get_error(tls_, size);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
    await_tls(error);
  } else {
    end();
  }
  return false;
}

void Tunnel::take_in(Lane& lane, const char* bytes, std::size_t size) {
  lane.pending.assign(bytes, size);
  Duration wait = delay_;
  if (bytes_per_s_ > 0) {
    wait += std::chrono::nanoseconds(std::chrono::seconds(size)) / bytes_per_s_;
  }
  if (wait <= Duration{}) return;
  lane.delayed = true;
  lane.timer.expires_after(wait);
  lane.timer.async_wait([self = shared_from_this(), &lane](const boost::system::error_code& error) {
    if (error) return;
    lane.delayed = false;
    self->pump();
  });
}

void Tunnel::await(asio::socket_base::wait_type what, bool& awaited) {
  if (std::exchange(awaited, true)) return;
  outside_.async_wait(
      what, [self = shared_from_this(), &awaited](const boost::system::error_code& error) {
        awaited = false;
        if (!error) self->pump();
      });
}

void Tunnel::await_tls(int error) {
  const bool writes = error == SSL_ERROR_WANT_WRITE;
  await(writes ? asio::socket_base::wait_write : asio::socket_base::wait_read,
        writes ? awaits_write_ : awaits_read_);
}

void Tunnel::wake() {
  if (ended_ || std::exchange(woken_, true)) return;
  asio::post(outside_.get_executor(), [self = shared_from_this()] {
    self->woken_ = false;
    self->pump();
  });
}

void Tunnel::say_goodbye() {
  if (ended_ || leaving_) return;
  leaving_ = true;
  boost::system::error_code ignored;
  outside_.shutdown(asio::socket_base::shutdown_send, ignored);
  inside_.reset();
  arm_limit(kGoodbyeLimit, &Tunnel::end);
  drain();
}

void Tunnel::drain() {
  std::array<char, kPiece> piece;
  ssize_t size = 0;
  do {
    size = ::recv(outside_.native_handle(), piece.data(), piece.size(), 0);
  } while (size > 0);
  if (size < 0 && would_block()) {
    await(asio::socket_base::wait_read, awaits_read_);
  } else {
    end();
  }
}

void Tunnel::cut() {
  if (ended_) return;
  boost::system::error_code ignored;
  outside_.set_option(asio::socket_base::linger(true, 0), ignored);
  end();
}

void Tunnel::retire(Duration quiet) {
  if (ended_ || leaving_) return;
  if (!open_) {
    cut();
    return;
  }
  retiring_ = true;
  quiet_ = quiet;
  arm_limit(quiet_, &Tunnel::say_goodbye);
}

void Tunnel::hold(bool holding) {
  held_ = holding || hushed_;
  pump();
}

void Tunnel::hush() {
  hushed_ = true;
  held_ = true;
}

void Tunnel::end() {
  if (std::exchange(ended_, true)) return;
  boost::system::error_code ignored;
  limit_.cancel();
  inward_.timer.cancel();
  outward_.timer.cancel();
  outside_.close(ignored);
  const std::unique_ptr<Inside> gone = std::move(inside_);
  owner_->on_tunnel_end(*this);
}

void Tunnel::arm_limit(Duration limit, void (Tunnel::*then)()) {
  limit_.expires_after(limit);
  limit_.async_wait([self = weak_from_this(), then](const boost::system::error_code& error) {
    const std::shared_ptr<Tunnel> tunnel = self.lock();
    if (!error && tunnel) (tunnel.get()->*then)();
  });
}

}  // namespace ichor::lab
