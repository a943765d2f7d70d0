#pragma once

#include <memory>
#include <string>

#include "command/desk.h"
#include "command/early.h"
#include "command/ground.h"
#include "command/profile_input.h"
#include "model/run_result.h"
#include "phase/kubernetes/run_phases.h"

namespace ichor {

/// How a command runs Kubernetes phases.
struct KubernetesWish {
  PhasesWish phases;
  std::string kubeconfig;  // a file; empty: the one in the state folder
  bool for_programs{false};
  bool detailed_exitcode{false};
  FetchedCharts fetched{};  // before
};

/// Runs phases on the profile's cluster, shows what each came to, and takes the end into `result`.
/// `talos` may be null: then Talos is not asked. The state folder must be this machine's own.
void run_kubernetes(const ProfileInput& input, const Ground& ground, StateDir& state,
                    TalosApi* talos, const KubernetesWish& wish, RunResult& result, Desk& desk);

/// Whether phases could be run later: what they need is there, decrypted and installed. Asked
/// before the nodes are touched; bad news is better then than after twenty minutes.
OrEnd<KubernetesMaterial> check_kubernetes(const ProfileInput& input, StateDir& state,
                                           const PhasesWish& wish, Desk& desk);

/// The way to the nodes, where the cluster's secrets or a talosconfig are there; else null.
std::unique_ptr<Site> reach_talos(const ProfileInput& input, const Ground& ground, Desk& desk);

}  // namespace ichor
