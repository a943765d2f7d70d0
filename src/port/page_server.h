#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ichor {

/// The head of a request, within the limits of the server. Nothing in it is proved.
struct PageRequest {
  std::string method;
  std::string target;
  /// Through a socket that only this user may open, instead of a port that every user may.
  bool private_socket{false};
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case

  /// The value of a header; null if it is missing.
  const std::string* header(std::string_view name) const {
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [&](const auto& one) { return one.first == name; });
    return found == headers.end() ? nullptr : &found->second;
  }
};

struct PageReply {
  int status{200};
  std::string type{"text/html; charset=utf-8"};
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
};

/// One request, and the way back to its client. Calls after the client left have no effect.
class PageExchange {
 public:
  virtual ~PageExchange() = default;
  virtual const PageRequest& request() const = 0;
  /// The whole reply; ends the exchange. HEAD gets the same without the body.
  virtual void reply(PageReply reply) = 0;
  /// Instead of reply(): a reply without an end, to which send() adds.
  virtual void stream(PageReply head) = 0;
  /// False: the client left, or it reads too slowly and is cut off.
  virtual bool send(std::string text) = 0;
};

/// Called on the loop for each request. Must reply at once or later; what it drops without a reply
/// is closed.
using PageHandler = std::function<void(std::shared_ptr<PageExchange>)>;

/// Serves while it lives, and then closes all connections.
class PageServer {
 public:
  virtual ~PageServer() = default;
  /// Where it listens, also if the system chose the port.
  virtual std::uint16_t port() const = 0;
};

/// Where to listen: a loopback address and a port, or a socket in the file system.
struct PagePlace {
  std::string address;
  std::uint16_t port{0};
  std::string socket;  // a path; empty: the address
};

}  // namespace ichor
