#pragma once

#include <memory>

#include "base/result.h"
#include "port/page_server.h"

namespace boost::asio {
class io_context;
}

namespace ichor {

/// Serves HTTP/1.1 on a loopback address or on a socket of mode 0600. One request per connection,
/// so that no request can hide behind another. Connections, heads and times are bounded: if all
/// connections are taken, the one whose head has been coming for the longest makes room.
class PageListener final : public PageServer {
 public:
  /// The loop must outlive the listener and run while it serves. A socket that an earlier process
  /// left behind is replaced; Errc::invalid for an address that is not loopback, and for a path
  /// where something else stands. Errc::io if the port is taken.
  static Result<std::unique_ptr<PageServer>> open(boost::asio::io_context& io,
                                                  const PagePlace& place, PageHandler handler);
  ~PageListener() override;
  PageListener(const PageListener&) = delete;
  PageListener& operator=(const PageListener&) = delete;

  std::uint16_t port() const override;

 private:
  struct Impl;
  explicit PageListener(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace ichor
