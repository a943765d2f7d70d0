#pragma once

#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/unmet.h"
#include "port/kube_client.h"

namespace ichor {

/// What is to be made of one CertificateSigningRequest.
struct CsrVerdict {
  enum class Kind {
    not_ours,  // another signer's, or settled already
    approve,
    refuse,  // pending, and not what the profile knows: never approved by us
  };
  Kind kind{Kind::not_ours};
  std::string node;    // that it is for
  std::string reason;  // why it is approved or not
};

/// Judges a request for kubelet's serving certificate. It is approved only where everything agrees
/// with the profile: it was sent by the node itself, the node is one of ours, subject and groups
/// are those of a node, names and addresses are this node's and no others, and nothing but serving
/// is asked for.
CsrVerdict judge_csr(const KubeObject& csr, const ClusterProfile& profile);

/// What is unmet about a request that is refused.
Unmet refused_csr(const KubeObject& csr, const CsrVerdict& verdict);

}  // namespace ichor
