#pragma once

#include <memory>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "web/http_connection.h"

namespace ichor {

/// Connections to one server, kept open between calls. A call waits for the server's answer at most
/// `limit` of real time; a server that asks for patience (429) is given it, within the context.
class HttpPool {
 public:
  /// The loop must outlive this object and run while a call is under way.
  HttpPool(boost::asio::io_context& io, HttpPeer peer) : io_(io), peer_(std::move(peer)) {}
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  Task<CallResult<HttpAnswer>> ask(Context context, Call call, HttpRequest request);

  /// The same, once and on a connection of its own: for what must not be done twice.
  Task<CallResult<HttpAnswer>> ask_once(Context context, Call call, HttpRequest request);

  /// A connection of its own for a body that does not end; see HttpConnection::follow.
  std::shared_ptr<HttpConnection> spare() { return HttpConnection::make(io_, peer_); }

  boost::asio::io_context& io() { return io_; }
  const HttpPeer& peer() const { return peer_; }

 private:
  std::shared_ptr<HttpConnection> take();
  void give_back(std::shared_ptr<HttpConnection> connection);
  Task<CallResult<HttpAnswer>> ask_kept(Context context, Call call, HttpRequest request);
  static Task<CallResult<HttpAnswer>> ask_on(Context context, HttpConnection& connection, Call call,
                                             HttpRequest request);

  boost::asio::io_context& io_;
  HttpPeer peer_;
  std::vector<std::shared_ptr<HttpConnection>> idle_;
};

/// How long a call may take by what its caller grants, read as real time.
Duration http_limit(const Context& context);

}  // namespace ichor
