#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "engine/kubernetes_part.h"
#include "lab/kube/played_helm.h"
#include "model/or_end.h"
#include "model/run_result.h"
#include "port/host.h"
#include "run/run_target.h"

namespace ichor {

/// How a command runs Kubernetes phases.
struct KubernetesOptions {
  int first{0};
  int last{3};
  PhasesOptions phases;
  std::string kubeconfig;  // a file; empty: the one in the state folder
  KubeconfigCheck check;   // of the one in the state folder
  bool for_programs{false};
  bool detailed_exitcode{false};
  std::function<void()> on_open;  // called when the API is opened; empty: nothing
};

/// The Kubernetes phases of one command: what they need, read and decrypted once, before the nodes
/// are touched; what they work with; and what came of them. All references must outlive it.
class KubernetesWork {
 public:
  /// Fails where a program or an input is missing: bad news is better now than after twenty
  /// minutes. `talos` may be null: then Talos is not asked.
  static OrEnd<std::unique_ptr<KubernetesWork>> prepare(const ProfileInput& input,
                                                        const RunTarget& target,
                                                        ClusterState& state, TalosApi* talos,
                                                        KubernetesOptions options, Host& host);

  KubernetesPart& part() { return *part_; }
  const KubernetesOptions& options() const { return options_; }

  /// Objects and releases that were changed, or in a dry run would be.
  int changed() const;

  /// Shows what each phase came to. With detailed_exitcode a dry run that found changes ends so.
  void show(RunResult& result) const;

 private:
  KubernetesWork(const RunTarget& target, ClusterState& state, KubernetesOptions options,
                 KubernetesMaterial material, Host& host)
      : target_(target),
        state_(state),
        options_(std::move(options)),
        material_(std::move(material)),
        host_(host) {}

  OrEnd<OpenedKube> open();
  /// The programs of this machine; on a lab, with a helm that is played where there is none.
  Processes& programs();
  /// Says that helm is played, where it is.
  void tell_of_played_helm();

  const RunTarget& target_;
  ClusterState& state_;
  KubernetesOptions options_;
  KubernetesMaterial material_;
  Host& host_;
  std::shared_ptr<KubeClient> client_;  // null: not opened yet
  std::unique_ptr<PlayedHelm> played_;
  std::unique_ptr<KubernetesPart> part_;
};

}  // namespace ichor
