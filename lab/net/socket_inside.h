#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <memory>

#include "base/result.h"
#include "lab/net/inside.h"

namespace ichor::lab {

/// The clear side as one end of a pair of sockets, for a server that wants a socket.
class SocketInside final : public Inside {
 public:
  /// The other end is the caller's.
  struct Pair {
    std::unique_ptr<SocketInside> inside;
    boost::asio::local::stream_protocol::socket other;
  };
  static Result<Pair> make(const boost::asio::any_io_executor& executor);

  std::size_t give(std::string_view bytes) override;
  Answer ask(char* buffer, std::size_t size) override;

 private:
  explicit SocketInside(boost::asio::local::stream_protocol::socket socket);
  void await(boost::asio::socket_base::wait_type what, bool& awaited);

  boost::asio::local::stream_protocol::socket socket_;
  bool awaits_read_{false};
  bool awaits_write_{false};
  std::shared_ptr<bool> here_{std::make_shared<bool>(true)};  // gone with this object
};

}  // namespace ichor::lab
