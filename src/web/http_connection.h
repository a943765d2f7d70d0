#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "model/call.h"

namespace boost::asio {
class io_context;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace ichor {

struct HttpRequest {
  std::string method{"GET"};
  std::string target{"/"};
  std::string content_type;  // of the body; empty: there is none
  SecretString body;
};

struct HttpAnswer {
  int status{0};
  std::string reason;  // the words of the status line; some servers say why there
  SecretString body;
  std::optional<Duration> retry_after;  // as the server asked for it
};

/// Whom to talk to, and as whom.
struct HttpPeer {
  std::string host;       // in the certificate and in the Host header
  std::string dial_host;  // where to connect
  std::uint16_t port{443};
  std::shared_ptr<boost::asio::ssl::context> tls;  // null: plain HTTP
  SecretString token;
  std::string scheme{"Bearer "};  // before the token, in the Authorization header
  /// SHA-256 of the server's certificate in lower-case hex. If it is set, this certificate is
  /// believed and no other, whoever signed it; it must still be valid by its dates.
  std::string pin{};
};

/// Believes `ca_pem` only, and shows a client certificate if there is one.
Result<std::shared_ptr<boost::asio::ssl::context>> tls_with(const std::string& ca_pem,
                                                            const std::string& cert_pem,
                                                            const SecretString& key_pem);
/// Believes the authorities that this machine does.
std::shared_ptr<boost::asio::ssl::context> tls_of_machine();

/// One connection that is kept for the next request. It carries one request at a time; all
/// callbacks come on the loop, and limits are kept in real time, whatever the loop's clock does.
class HttpConnection {
 public:
  using Done = std::function<void(CallResult<HttpAnswer>)>;
  /// Bytes of a body that does not end; false ends the stream.
  using Bytes = std::function<bool(std::string_view)>;

  static std::shared_ptr<HttpConnection> make(boost::asio::io_context& io, const HttpPeer& peer);
  virtual ~HttpConnection() = default;

  /// Sends it, and calls `done` once, at the latest after `limit`.
  virtual void ask(Call call, HttpRequest request, Duration limit, Done done) = 0;

  /// Sends it. If the answer is 200, `done` gets it without its body, and `bytes` what follows;
  /// the end of the stream is an empty piece. Other answers come to `done` whole. Nothing for
  /// `quiet` ends the stream.
  virtual void follow(Call call, HttpRequest request, Duration limit, Duration quiet, Done done,
                      Bytes bytes) = 0;

  /// Whether it was used before, and can be used again.
  virtual bool reusable() const = 0;

  /// The caller stops listening; callbacks that were due do not come.
  virtual void close() = 0;
};

}  // namespace ichor
