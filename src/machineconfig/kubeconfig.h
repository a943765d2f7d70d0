#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "secrets/certificate.h"

namespace ichor {

/// An admin kubeconfig with Talos' names: cluster NAME, user and context admin@NAME. The client
/// certificate is fresh: ECDSA P-256, CN admin, O system:masters, valid for a year.
Result<SecretString> make_kubeconfig(const std::string& cluster_name, const std::string& server,
                                     const pki::CertificateAndKey& kubernetes_ca, WallTime now);

/// What a kubeconfig of our cluster says.
struct KubeconfigTerms {
  std::string cluster_name;
  std::string server;
  std::string ca_pem;
};

/// The kubeconfig that a control plane returned, written again with our own names and only with
/// what was checked. Refused unless it has one cluster, user and context, our server and CA, and an
/// inline client certificate of that CA with its key: a compromised control plane could name
/// another server, or a program to run. The error names the place, never a value that is secret.
Result<SecretString> own_kubeconfig(const SecretString& returned, const KubeconfigTerms& terms);

}  // namespace ichor
