#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ichor {

/// An IPv4 or IPv6 address. Values of one family sort by number; IPv4 comes before IPv6.
struct Ip {
  bool v6{false};
  std::array<std::uint8_t, 16> bytes{};  // IPv4 uses the first four

  int bits() const { return v6 ? 128 : 32; }
  auto operator<=>(const Ip&) const = default;
};

/// Dotted decimal without leading zeros, or any form of IPv6 without a zone.
std::optional<Ip> parse_ip(std::string_view text);
/// The shortest usual form.
std::string to_text(const Ip& ip);

/// An address with the length of its network: "192.168.22.101/22". `address` may have host bits.
struct Cidr {
  Ip address;
  int length{0};

  bool operator==(const Cidr&) const = default;
};

std::optional<Cidr> parse_cidr(std::string_view text);
std::string to_text(const Cidr& cidr);

/// The first and the last address of the network.
Ip first_of(const Cidr& cidr);
Ip last_of(const Cidr& cidr);

/// Always false across families.
bool contains(const Cidr& network, const Ip& ip);
bool overlap(const Cidr& one, const Cidr& other);

/// "52:54:00:aa:bb:01" of six pairs of hex digits with : or - between; nullopt otherwise.
std::optional<std::string> normal_mac(std::string_view text);

}  // namespace ichor
