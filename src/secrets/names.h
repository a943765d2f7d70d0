#pragma once

#include <openssl/x509v3.h>
#include <string>
#include <vector>

namespace ichor::pki {

/// The names of certificates and of requests for them, for the .cc files of this folder.

/// The values of one kind of entry, such as NID_organizationName, in order.
std::vector<std::string> entries_of(const X509_NAME* name, int nid);

struct AlternativeNames {
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  int others{0};
};

/// Reads and frees them; nullptr has none.
AlternativeNames take_names(GENERAL_NAMES* names);

}  // namespace ichor::pki
