#include "lab/cosi/make.h"

#include <arpa/inet.h>

namespace ichor::lab {

std::string address_bytes(const std::string& address) {
  unsigned char bytes[16];
  if (::inet_pton(AF_INET, address.c_str(), bytes) == 1) {
    return std::string(reinterpret_cast<const char*>(bytes), 4);
  }
  if (::inet_pton(AF_INET6, address.c_str(), bytes) == 1) {
    return std::string(reinterpret_cast<const char*>(bytes), 16);
  }
  return {};
}

common::NetIP net_ip(const std::string& address) {
  common::NetIP ip;
  ip.set_ip(address_bytes(address));
  return ip;
}

common::NetIPPrefix net_prefix(const std::string& address, int length) {
  common::NetIPPrefix prefix;
  prefix.set_ip(address_bytes(address));
  prefix.set_prefix_length(length);
  return prefix;
}

}  // namespace ichor::lab
