#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ichor::pki {

/// What a certificate signing request asks for.
struct RequestFacts {
  std::vector<std::string> organizations;  // of the subject, in order
  std::string common_name;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  int other_names{0};  // e-mail addresses, URIs and the like
};

/// Reads the first request of a PEM text. Its signature must be by the key that it is for.
Result<RequestFacts> inspect_request(std::string_view pem);

}  // namespace ichor::pki
