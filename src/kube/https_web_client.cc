#include "kube/https_web_client.h"

#include <charconv>
#include <optional>

namespace ichor {

namespace {

struct Place {
  HttpPeer peer;
  std::string target;
};

/// http://host[:port]/path; an address of IPv6 stands in brackets.
std::optional<Place> place_of(std::string_view url) {
  Place place;
  const bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return std::nullopt;
  url.remove_prefix(tls ? 8 : 7);
  const std::size_t slash = url.find('/');
  place.target = slash == std::string_view::npos ? "/" : std::string(url.substr(slash));
  std::string_view host = url.substr(0, slash);
  place.peer.port = tls ? 443 : 80;
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    const std::string_view port = host.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(port.data(), port.data() + port.size(), place.peer.port);
    if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return std::nullopt;
  place.peer.host = place.peer.dial_host = std::string(host);
  if (tls) place.peer.tls = tls_of_machine();
  return place;
}

}  // namespace

Task<CallResult<WebAnswer>> HttpsWebClient::get(Context context, std::string url,
                                                const SecretString& token) {
  std::optional<Place> place = place_of(url);
  if (!place) {
    co_return tl::unexpected(CallError{Call::kube_read, Progress::not_sent, TlsVerdict::fine,
                                       Code::invalid_argument, url + " is no web address"});
  }
  place->peer.token = token;
  HttpPool pool(io_, std::move(place->peer));
  HttpRequest request;
  request.target = place->target;
  auto answer = co_await pool.ask(context, Call::kube_read, std::move(request));
  if (!answer) co_return tl::unexpected(std::move(answer).error());
  co_return WebAnswer{answer->status, std::move(answer->body)};
}

}  // namespace ichor
