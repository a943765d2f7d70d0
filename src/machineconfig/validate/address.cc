#include "machineconfig/validate/address.h"

#include <algorithm>
#include <charconv>

#include "base/ip.h"
#include "machineconfig/go_url.h"
#include "secrets/base64.h"

namespace ichor::validate {

bool is_plain_ip(std::string_view text) { return parse_ip(text).has_value(); }

bool is_ip(std::string_view text) {
  const std::size_t percent = text.find('%');
  const auto ip = parse_ip(text.substr(0, percent));
  if (!ip || percent == std::string_view::npos) return ip.has_value();
  return ip->v6 && percent + 1 < text.size();
}

bool is_lax_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  std::string_view digits = text.substr(slash + 1);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return is_cidr(std::string(text.substr(0, slash + 1)) + std::string(digits));
}

bool is_cidr(std::string_view text) { return parse_cidr(text).has_value(); }

bool is_subnet_filter(std::string_view text) {
  if (text.starts_with('!')) text.remove_prefix(1);
  return is_cidr(text) || is_ip(text);
}

bool is_address_with_length(std::string_view text) {
  return text.find('/') != std::string_view::npos ? is_lax_cidr(text) : is_plain_ip(text);
}

std::optional<HostPort> split_host_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || end + 1 != colon) return std::nullopt;
    host = text.substr(1, end - 1);
    if (host.find('[') != std::string_view::npos) return std::nullopt;
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view port = text.substr(colon + 1);
  if (port.find_first_of("[]") != std::string_view::npos) return std::nullopt;
  return HostPort{std::string(host), std::string(port)};
}

std::string endpoint_trouble(const std::string& text) {
  const auto url = parse_go_url(text);
  if (!url) return "is not a URL";
  const std::string& host = url->host;
  if (std::count(host.begin(), host.end(), ':') > 2 &&
      (host.find('[') == std::string::npos || host.find(']') == std::string::npos)) {
    return "has an IPv6 address without brackets";
  }
  const std::size_t behind = host.starts_with('[') ? host.find(']') + 1 : host.rfind(':');
  std::string name = host.substr(0, behind);
  std::string port = behind < host.size() ? host.substr(behind + 1) : "";
  if (name.starts_with('[')) name = name.substr(1, name.size() - 2);
  if (name.empty()) return "names no host";
  if (port.empty()) return "";
  int number = 0;
  const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool whole = read.ec == std::errc() && read.ptr == port.data() + port.size();
  return whole && number >= 1 && number <= 65535 ? "" : "has no port from 1 to 65535";
}

bool is_wireguard_key(const std::string& text) {
  std::string bare = text;
  std::erase_if(bare, [](char c) { return c == '\n' || c == '\r'; });
  const auto raw = pki::from_base64(bare);
  return raw && raw->size() == 32;
}

}  // namespace ichor::validate
