#include "base/ip.h"

#include <arpa/inet.h>
#include <charconv>

namespace ichor {

std::optional<Ip> parse_ip(std::string_view text) {
  const std::string terminated(text);
  // inet_pton stops at a NUL, which is no part of an address.
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  Ip ip;
  if (inet_pton(AF_INET, terminated.c_str(), ip.bytes.data()) == 1) return ip;
  ip.v6 = true;
  ip.bytes.fill(0);
  if (inet_pton(AF_INET6, terminated.c_str(), ip.bytes.data()) == 1) return ip;
  return std::nullopt;
}

std::string to_text(const Ip& ip) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(ip.v6 ? AF_INET6 : AF_INET, ip.bytes.data(), text, sizeof text);
  return text;
}

std::optional<Cidr> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto ip = parse_ip(text.substr(0, slash));
  const std::string_view digits = text.substr(slash + 1);
  if (!ip || digits.empty() || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  int length = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, length);
  if (error != std::errc{} || stop != end || length < 0 || length > ip->bits()) return std::nullopt;
  return Cidr{*ip, length};
}

std::string to_text(const Cidr& cidr) {
  return to_text(cidr.address) + "/" + std::to_string(cidr.length);
}

namespace {

/// The address with all host bits cleared or set.
Ip with_host_bits(const Cidr& cidr, bool set) {
  Ip ip = cidr.address;
  for (int bit = cidr.length; bit < ip.bits(); ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80 >> bit % 8);
    std::uint8_t& byte = ip.bytes[static_cast<std::size_t>(bit / 8)];
    byte = static_cast<std::uint8_t>(set ? byte | mask : byte & ~mask);
  }
  return ip;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Ip first_of(const Cidr& cidr) { return with_host_bits(cidr, false); }
Ip last_of(const Cidr& cidr) { return with_host_bits(cidr, true); }

bool contains(const Cidr& network, const Ip& ip) {
  return network.address.v6 == ip.v6 && first_of(network) <= ip && ip <= last_of(network);
}

bool overlap(const Cidr& one, const Cidr& other) {
  return contains(one, first_of(other)) || contains(other, first_of(one));
}

std::optional<std::string> normal_mac(std::string_view text) {
  constexpr std::size_t size = 17;
  if (text.size() != size) return std::nullopt;
  std::string mac;
  for (std::size_t i = 0; i < size; ++i) {
    if (i % 3 == 2) {
      if (text[i] != text[2] || (text[i] != ':' && text[i] != '-')) return std::nullopt;
      mac += ':';
    } else {
      const int value = hex_value(text[i]);
      if (value < 0) return std::nullopt;
      mac += "0123456789abcdef"[value];
    }
  }
  return mac;
}

}  // namespace ichor
