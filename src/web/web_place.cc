#include "web/web_place.h"

#include <charconv>

namespace ichor {

std::optional<WebPlace> web_place(std::string_view url) {
  WebPlace place;
  place.tls = url.starts_with("https://");
  if (!place.tls && !url.starts_with("http://")) return std::nullopt;
  url.remove_prefix(place.tls ? 8 : 7);
  const std::size_t slash = url.find('/');
  place.target = slash == std::string_view::npos ? "/" : std::string(url.substr(slash));
  std::string_view host = url.substr(0, slash);
  // No user, no query, nothing that could stand for another host.
  if (host.find_first_of("@?# ") != std::string_view::npos) return std::nullopt;
  place.port = place.tls ? 443 : 80;
  const std::size_t bracket = host.find(']');
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    const std::string_view port = host.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), place.port);
    if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
    host = host.substr(0, colon);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return std::nullopt;
  place.host = std::string(host);
  return place;
}

}  // namespace ichor
