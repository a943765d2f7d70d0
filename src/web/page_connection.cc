#include "web/page_connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/format.h>
#include <utility>

namespace ichor {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t kHeadMax = 16u << 10;
/// A stream whose client leaves more than this unread is cut off.
constexpr std::size_t kUnreadMax = 1u << 20;
constexpr std::size_t kPieceMax = 64u << 10;

// In real time. For the whole head; until the reply is made; for the next piece of it; for what the
// client still sends after its reply.
constexpr auto kHeadTime = std::chrono::seconds(10);
constexpr auto kAskTime = std::chrono::seconds(60);
constexpr auto kWriteTime = std::chrono::seconds(20);
constexpr auto kLingerTime = std::chrono::seconds(1);

/// What every reply says, whatever it is. A page may add its own Content-Security-Policy.
constexpr std::string_view kAlways =
    "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n";

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace

PageConnection::PageConnection(Socket socket, bool private_socket, PageHandler handler)
    : socket_(std::move(socket)), handler_(std::move(handler)), timer_(socket_.get_executor()) {
  request_.private_socket = private_socket;
}

void PageConnection::start() {
  parser_.header_limit(kHeadMax);
  parser_.body_limit(0);
  parser_.eager(true);
  limit(kHeadTime);
  read();
}

void PageConnection::limit(asio::steady_timer::duration time) {
  timer_.expires_after(time);
  timer_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (!error && self) self->cut();
  });
}

void PageConnection::cut() {
  state_ = State::over;
  timer_.cancel();
  error_code ignored;
  socket_.close(ignored);
  handler_ = nullptr;
}

/// The client ends a stream by going away, which a read says; the server by dropping the exchange,
/// so the read of a stream must not keep it.
void PageConnection::read() {
  const auto keep = state_ == State::streams ? nullptr : shared_from_this();
  socket_.async_read_some(asio::buffer(piece_), [weak = weak_from_this(), keep](
                                                    const error_code& error, std::size_t size) {
    if (const auto self = weak.lock()) self->take(error, size);
  });
}

void PageConnection::take(const error_code& error, std::size_t size) {
  if (state_ == State::over) return;
  if (error) return cut();
  if (state_ != State::reads) return read();
  unread_.append(piece_.data(), size);
  parse();
}

/// The parser is fed by hand, because Beast's own read is ten times the code of this.
void PageConnection::parse() {
  error_code error;
  while (!unread_.empty() && !parser_.is_done() && !error) {
    unread_.erase(0, parser_.put(asio::buffer(std::as_const(unread_)), error));
  }
  if (parser_.is_done()) return ask();
  if (error == http::error::header_limit || unread_.size() > kHeadMax) {
    return refuse(431, "The head of the request is longer than 16 KiB.");
  }
  if (error == http::error::body_limit || parser_.is_header_done()) {
    return refuse(413, "This server takes no bodies.");
  }
  if (error && error != http::error::need_more) {
    return refuse(400, "This is not a request of HTTP/1.1.");
  }
  read();
}

void PageConnection::ask() {
  const auto& request = parser_.get();
  request_.method = std::string(request.method_string());
  request_.target = std::string(request.target());
  for (const auto& field : request) {
    request_.headers.emplace_back(lower_case(field.name_string()), std::string(field.value()));
  }
  state_ = State::asked;
  limit(kAskTime);
  const PageHandler handler = std::exchange(handler_, nullptr);
  handler(shared_from_this());
}

void PageConnection::refuse(int status, const char* text) {
  state_ = State::asked;
  reply({status, "text/plain; charset=utf-8", std::string(text) + "\n", {}});
}

std::string PageConnection::head_of(const PageReply& reply, bool has_length) const {
  const auto reason = http::obsolete_reason(static_cast<http::status>(reply.status));
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}", reply.status,
                  std::string_view(reason.data(), reason.size()), reply.type, kAlways);
  for (const auto& [name, value] : reply.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (has_length) head += fmt::format("Content-Length: {}\r\n", reply.body.size());
  return head + "\r\n";
}

void PageConnection::reply(PageReply reply) {
  if (state_ != State::asked) return;
  state_ = State::replies;
  outgoing_ = head_of(reply, true);
  if (request_.method != "HEAD") outgoing_ += reply.body;
  write();
}

void PageConnection::stream(PageReply head) {
  if (state_ != State::asked) return;
  state_ = State::streams;
  outgoing_ = head_of(head, false);
  read();
  write();
}

bool PageConnection::send(std::string text) {
  if (state_ != State::streams) return false;
  if (outgoing_.size() - sent_ + text.size() > kUnreadMax) {
    cut();
    return false;
  }
  outgoing_ += text;
  write();
  return true;
}

void PageConnection::write() {
  if (writing_ || sent_ == outgoing_.size()) return;
  writing_ = true;
  limit(kWriteTime);
  const std::size_t size = std::min(outgoing_.size() - sent_, kPieceMax);
  // A string that grows moves, so what is on its way is held apart.
  auto held = std::make_shared<const std::string>(outgoing_.substr(sent_, size));
  socket_.async_write_some(asio::buffer(*held), [self = shared_from_this(), held](
                                                    const error_code& error, std::size_t moved) {
    self->writing_ = false;
    if (self->state_ == State::over) return;
    if (error) return self->cut();
    self->sent_ += moved;
    self->written();
  });
}

void PageConnection::written() {
  const bool all = sent_ == outgoing_.size();
  if (state_ == State::replies && all) return linger();
  // A stream may be silent for long.
  if (all) timer_.cancel();
  outgoing_.erase(0, std::exchange(sent_, 0));
  write();
}

/// A socket that is closed with bytes unread is reset, and the reply with it.
void PageConnection::linger() {
  state_ = State::lingers;
  error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_send, ignored);
  limit(kLingerTime);
  read();
}

}  // namespace ichor
