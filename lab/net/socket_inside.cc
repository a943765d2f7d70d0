#include "lab/net/socket_inside.h"

#include <boost/asio/local/connect_pair.hpp>
#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace ichor::lab {

namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;

namespace {

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Result<SocketInside::Pair> SocketInside::make(const asio::any_io_executor& executor) {
  Socket ours(executor);
  Socket theirs(executor);
  boost::system::error_code error;
  asio::local::connect_pair(ours, theirs, error);
  if (!error) ours.non_blocking(true, error);
  if (!error) theirs.non_blocking(true, error);
  if (error) return fail(Errc::io, "no pair of sockets: " + error.message());
  return Pair{std::unique_ptr<SocketInside>(new SocketInside(std::move(ours))), std::move(theirs)};
}

SocketInside::SocketInside(Socket socket) : socket_(std::move(socket)) {}

std::size_t SocketInside::give(std::string_view bytes) {
  const ssize_t size = ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (size >= 0) return static_cast<std::size_t>(size);
  // The server is gone; what it said last may still go out.
  if (!would_block()) return bytes.size();
  await(asio::socket_base::wait_write, awaits_write_);
  return 0;
}

Inside::Answer SocketInside::ask(char* buffer, std::size_t size) {
  const ssize_t got = ::recv(socket_.native_handle(), buffer, size, 0);
  if (got > 0) return {Answer::Kind::bytes, static_cast<std::size_t>(got)};
  if (got == 0 || !would_block()) return {Answer::Kind::over};
  await(asio::socket_base::wait_read, awaits_read_);
  return {Answer::Kind::nothing_yet};
}

void SocketInside::await(asio::socket_base::wait_type what, bool& awaited) {
  if (std::exchange(awaited, true)) return;
  auto then = [this, &awaited,
               here = std::weak_ptr(here_)](const boost::system::error_code& error) {
    if (error || here.expired()) return;
    awaited = false;
    if (ready) ready();
  };
  socket_.async_wait(what, std::move(then));
}

}  // namespace ichor::lab
