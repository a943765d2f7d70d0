#pragma once

#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <memory>
#include <optional>
#include <string>

#include "port/page_server.h"

namespace ichor {

/// One request on a connected socket and the reply to it; see web/page_listener.h. Keeps itself
/// alive until the client has its reply, left, or was too slow. Lives on the loop's thread.
class PageConnection final : public PageExchange,
                             public std::enable_shared_from_this<PageConnection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  PageConnection(Socket socket, bool private_socket, PageHandler handler);
  ~PageConnection() override = default;

  void start();
  /// It has no answer to give: none was asked for yet, or all of it is sent.
  bool makes_room() const { return state_ == State::reads || state_ == State::lingers; }
  /// Closes the socket; nothing happens after that.
  void cut();

  const PageRequest& request() const override { return request_; }
  void reply(PageReply reply) override;
  void stream(PageReply head) override;
  bool send(std::string text) override;

 private:
  enum class State { reads, asked, replies, streams, lingers, over };

  void read();
  void take(const boost::system::error_code& error, std::size_t size);
  void parse();
  void ask();
  void refuse(int status, const char* text);
  std::string head_of(const PageReply& reply, bool has_length) const;
  void write();
  void written();
  void linger();
  void limit(boost::asio::steady_timer::duration time);

  Socket socket_;
  PageHandler handler_;
  boost::asio::steady_timer timer_;
  State state_{State::reads};
  PageRequest request_;
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  std::string unread_;
  std::array<char, 4096> piece_{};
  std::string outgoing_;
  std::size_t sent_{0};
  bool writing_{false};
};

}  // namespace ichor
