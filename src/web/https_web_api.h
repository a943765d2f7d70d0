#pragma once

#include <memory>

#include "port/web_api.h"
#include "web/http_pool.h"

namespace ichor {

/// A web API on the process's socket loop.
class HttpsWebApi final : public WebApi {
 public:
  /// The loop must outlive this object and run while a call is under way. Errc::invalid for a URL
  /// that is not https://, and for a CA that is none.
  static Result<std::unique_ptr<HttpsWebApi>> make(boost::asio::io_context& io, WebServer server);

  Task<CallResult<WebReply>> ask(Context context, WebAsk ask) override;

 private:
  HttpsWebApi(boost::asio::io_context& io, HttpPeer peer) : pool_(io, std::move(peer)) {}

  HttpPool pool_;
};

}  // namespace ichor
