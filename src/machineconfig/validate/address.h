#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ichor::validate {

// How Talos reads addresses. Its libraries differ: some take a zone, some a length with zeros in
// front.

/// 10.0.0.1 or fd00::1, without a zone.
bool is_plain_ip(std::string_view text);
/// The same, and fe80::1%eth0.
bool is_ip(std::string_view text);
/// 10.0.0.0/8; 10.0.0.0/08 is taken, too.
bool is_lax_cidr(std::string_view text);
/// 10.0.0.0/8.
bool is_cidr(std::string_view text);
/// is_ip() or is_cidr(), behind a `!` if it is excluded.
bool is_subnet_filter(std::string_view text);
/// A plain address, or one with a length.
bool is_address_with_length(std::string_view text);

/// Host and port of "host:port" and "[v6]:port"; both may be empty.
struct HostPort {
  std::string host;
  std::string port;
};
std::optional<HostPort> split_host_port(std::string_view text);

/// What is wrong with a URL that must name a host: "names no host"; empty if nothing is.
std::string endpoint_trouble(const std::string& url);

/// 32 bytes in base64.
bool is_wireguard_key(const std::string& text);

}  // namespace ichor::validate
