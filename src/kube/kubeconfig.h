#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/secret.h"

namespace ichor {

/// What a kubeconfig says about one cluster: where, whom to believe, and who we are.
struct KubeAccess {
  std::string host;  // an address or a name, without brackets
  std::uint16_t port{6443};
  std::string ca_pem;
  std::string client_cert_pem;  // with its key, or a token
  SecretString client_key_pem;
  SecretString token;
};

/// Reads the current context of a kubeconfig, or its only one. Taken are server, CA, client
/// certificate and key, and token, all inline: a kubeconfig comes from a node, so what would run a
/// program, read a file or switch checks off is refused. The error names the place, never a value.
Result<KubeAccess> read_kubeconfig(const SecretString& text);

}  // namespace ichor
