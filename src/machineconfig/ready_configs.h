#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "model/cluster_profile.h"
#include "model/config_set.h"
#include "model/finding.h"
#include "secrets/secrets_bundle.h"

namespace ichor {

/// Machine configs that another program made, such as talhelper's clusterconfig folder: the files
/// of a folder by their names, without what else lies there.
struct ReadyConfigs {
  std::string folder;
  std::map<std::string, SecretString> files;
};

/// The secrets of the cluster that the configs were made for, out of a control plane's config.
Result<pki::SecretsBundle> secrets_of(const ReadyConfigs& ready);

/// Takes one config for each node as it is: NODE.yaml, or CLUSTER-NODE.yaml as talhelper names it.
/// Added to `findings` as errors: a node without a file, what Talos would refuse, a config of
/// another role, hostname, address or cluster than the profile and the secrets say.
ConfigSet take_ready_configs(const ReadyConfigs& ready, const ClusterProfile& profile,
                             const pki::SecretsBundle& secrets, std::vector<Finding>& findings);

}  // namespace ichor
