#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cluster/profile_input.h"
#include "model/or_end.h"
#include "model/run_options.h"
#include "model/unmet.h"
#include "port/host.h"
#include "run/run_target.h"

namespace ichor {

/// A way to a cluster's Kubernetes API, with the profile if there is one.
struct KubeReach {
  std::optional<ProfileInput> input;
  std::optional<RunTarget> target;
  SecretString kubeconfig;
  std::unique_ptr<KubeClient> client;
};

/// Takes the kubeconfig that `file` names, or else the one of the cluster's state folder. With a
/// file the profile may be missing; without one it says where the state folder is.
OrEnd<KubeReach> reach_kube(const std::string& file, const NodeOptions& nodes,
                            const CommonOptions& common, Host& host);

/// What is known of the cluster without changing anything, where its secrets or a talosconfig are
/// there; else nothing.
std::optional<Workspace> reach_talos(const ProfileInput& input, const RunTarget& target,
                                     Host& host);

/// The kubeconfig of a file, or else of the state folder. That one must pass `check`, because an
/// older ichor kept what a node returned; a file that the operator names is taken as it is.
OrEnd<SecretString> kubeconfig_of(const std::string& file, ClusterState& state,
                                  const KubeconfigCheck& check, Host& host);

/// The same for a cluster that is only looked at.
OrEnd<SecretString> find_kubeconfig(const std::string& file, const ProfileInput& input,
                                    const RunTarget& target, Host& host);

/// What is unmet, for programs: an empty listing, and one of its rows.
Listing unmet_listing();
nlohmann::ordered_json unmet_row(const std::string& gate, const Unmet& unmet);

}  // namespace ichor
