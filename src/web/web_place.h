#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ichor {

/// The parts of http[s]://HOST[:PORT][/PATH].
struct WebPlace {
  bool tls{false};
  std::string host;  // an address of IPv6 without its brackets
  std::uint16_t port{0};
  std::string target;  // "/" if there is no path
};

/// Nothing for a text that is not such an address.
std::optional<WebPlace> web_place(std::string_view url);

}  // namespace ichor
