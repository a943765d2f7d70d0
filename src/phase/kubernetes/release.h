#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "phase/kubernetes/material.h"
#include "port/kube_client.h"

namespace ichor {

/// What is deployed of a release.
struct DeployedRelease {
  bool there{false};
  std::string status;   // "deployed", "failed", "pending-install"
  std::string version;  // of the chart
  KubeObject values;
  KubeRef record;       // the Secret in which helm keeps the newest revision
  std::string uid;      // of it
  bool at_work{false};  // a helm of an earlier run still installs it
};

/// The newest revision of a release among helm's Secrets.
DeployedRelease newest_revision(const SeenObjects& secrets);

/// Why the release must be installed; empty: it is as wanted.
std::string reason_to_install(const WantedRelease& wanted, const DeployedRelease& deployed);

/// The releases that `helmfile build --embed-values` prints. `file` is the helmfile, which
/// installs them.
Result<std::vector<WantedRelease>> helmfile_releases(std::string_view text,
                                                     const std::string& file);

/// Chart, version and values of a HelmRelease and the OCIRepository beside it.
Result<WantedRelease> release_of_tree(const KubeObject& helm_release,
                                      const KubeObject& oci_repository, const std::string& where);

}  // namespace ichor
