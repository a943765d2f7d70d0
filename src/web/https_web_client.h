#pragma once

#include "port/web_client.h"
#include "web/http_pool.h"

namespace ichor {

/// Web APIs on the process's socket loop, one connection per call.
class HttpsWebClient final : public WebClient {
 public:
  /// The loop must outlive this object and run while a call is under way.
  explicit HttpsWebClient(boost::asio::io_context& io) : io_(io) {}

  Task<CallResult<WebAnswer>> get(Context context, std::string url,
                                  const SecretString& token) override;

 private:
  boost::asio::io_context& io_;
};

}  // namespace ichor
