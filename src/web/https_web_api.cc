#include "web/https_web_api.h"

#include <fmt/format.h>

#include "web/web_place.h"

namespace ichor {

Result<std::unique_ptr<HttpsWebApi>> HttpsWebApi::make(boost::asio::io_context& io,
                                                       WebServer server) {
  std::optional<WebPlace> place = web_place(server.url);
  if (!place || !place->tls || place->target != "/") {
    return fail(
        Errc::invalid,
        fmt::format("{} is not an address such as https://pve.example.org:8006", server.url));
  }
  HttpPeer peer;
  peer.host = peer.dial_host = place->host;
  peer.port = place->port;
  if (!server.dial_host.empty()) peer.dial_host = server.dial_host;
  peer.token = std::move(server.token);
  peer.scheme = std::move(server.scheme);
  peer.pin = std::move(server.pin);
  peer.tls = tls_of_machine();
  if (!server.ca_pem.empty()) {
    auto tls = tls_with(server.ca_pem, {}, {});
    if (!tls) return fail(Errc::invalid, "the CA file holds no certificate in PEM form");
    peer.tls = *std::move(tls);
  }
  return std::unique_ptr<HttpsWebApi>(new HttpsWebApi(io, std::move(peer)));
}

Task<CallResult<WebReply>> HttpsWebApi::ask(Context context, WebAsk ask) {
  HttpRequest request{std::move(ask.method), std::move(ask.target), std::move(ask.content_type),
                      std::move(ask.body)};
  const bool reads = request.method == "GET";
  // Not as one expression: GCC 12 makes a wrong frame of a choice between two awaits.
  Task<CallResult<HttpAnswer>> asking =
      reads ? pool_.ask(context, Call::open, std::move(request))
            : pool_.ask_once(context, Call::open, std::move(request));
  CallResult<HttpAnswer> answer = co_await std::move(asking);
  if (!answer) co_return forward_error(answer);
  co_return WebReply{answer->status, std::move(answer->reason), std::move(answer->body)};
}

}  // namespace ichor
