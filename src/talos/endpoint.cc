#include "talos/endpoint.h"

#include <fmt/format.h>

namespace ichor {

std::string to_text(const Endpoint& endpoint) {
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", endpoint.host, endpoint.port)
            : fmt::format("{}:{}", endpoint.host, endpoint.port);
}

Endpoint direct_route(const IpAddress& address) {
  Endpoint endpoint;
  endpoint.host = address.value();
  return endpoint;
}

}  // namespace ichor
