#include "web/https_web_client.h"

#include <optional>

#include "web/web_place.h"

namespace ichor {

Task<CallResult<WebAnswer>> HttpsWebClient::get(Context context, std::string url,
                                                const SecretString& token) {
  const std::optional<WebPlace> place = web_place(url);
  if (!place) {
    co_return tl::unexpected(CallError{Call::kube_read, Progress::not_sent, TlsVerdict::fine,
                                       Code::invalid_argument, url + " is not a web address"});
  }
  HttpPeer peer{place->host, place->host, place->port, nullptr, token};
  if (place->tls) peer.tls = tls_of_machine();
  HttpPool pool(io_, std::move(peer));
  HttpRequest request;
  request.target = place->target;
  auto answer = co_await pool.ask(context, Call::kube_read, std::move(request));
  if (!answer) co_return forward_error(answer);
  co_return WebAnswer{answer->status, std::move(answer->body)};
}

}  // namespace ichor
