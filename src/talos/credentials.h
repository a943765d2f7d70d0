#pragma once

#include <string>

#include "base/secret.h"

namespace ichor {

/// What proves a configured node to us and us to it: the OS CA and a client certificate under it,
/// as a talosconfig carries them.
struct TalosCredentials {
  std::string ca_pem;
  std::string client_cert_pem;
  SecretString client_key_pem;
};

}  // namespace ichor
