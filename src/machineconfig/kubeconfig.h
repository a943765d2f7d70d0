#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "pki/certificate.h"

namespace ichor {

/// An admin kubeconfig with Talos' names: cluster NAME, user and context admin@NAME. The client
/// certificate is fresh: ECDSA P-256, CN admin, O system:masters, valid for a year.
Result<SecretString> make_kubeconfig(const std::string& cluster_name, const std::string& server,
                                     const pki::CertificateAndKey& kubernetes_ca, WallTime now);

}  // namespace ichor
