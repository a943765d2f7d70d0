#include "phase/sequence.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "model/kubernetes_plan.h"
#include "phase/apply.h"
#include "phase/bootstrap_etcd.h"
#include "phase/discover.h"
#include "phase/etcd_health.h"
#include "phase/kubeconfig.h"
#include "phase/kubernetes/core_phase.h"
#include "phase/kubernetes/crds_phase.h"
#include "phase/kubernetes/secrets_phase.h"
#include "phase/kubernetes/validation_phase.h"
#include "phase/preflight.h"
#include "phase/ready.h"
#include "phase/verify.h"

namespace ichor {

std::string_view name_of(Milestone milestone) {
  switch (milestone) {
    case Milestone::none: return "none";
    case Milestone::control_planes_configured: return "all control planes configured";
    case Milestone::etcd_bootstrapped: return "etcd bootstrapped";
    case Milestone::etcd_healthy: return "etcd quorum";
    case Milestone::api_answers: return "API answers";
    case Milestone::nodes_verified: return "all nodes verified";
    case Milestone::cluster_ready: return "cluster ready";
    case Milestone::upgrade_checked: return "upgrade checked";
    case Milestone::images_pulled: return "images on all nodes";
    case Milestone::control_planes_upgraded: return "all control planes upgraded";
    case Milestone::nodes_upgraded: return "all nodes upgraded";
  }
  return "?";
}

namespace {

Milestone before_workers(const ClusterProfile& profile) {
  if (profile.worker_order == WorkerOrder::after_api) return Milestone::api_answers;
  // A worker has no API of its own before a control plane gave it certificates. If it held a place
  // that a control plane needs, both would wait for ever.
  const bool places_for_all =
      !profile.sequential && static_cast<std::size_t>(profile.concurrency) >= profile.nodes.size();
  return places_for_all ? Milestone::none : Milestone::control_planes_configured;
}

Step on_kubernetes(std::shared_ptr<const KubernetesPhase> phase) {
  return {std::move(phase), Who::kubernetes, Milestone::cluster_ready, Milestone::none, false};
}

/// The second half of the line.
std::vector<Step> kubernetes_half() {
  return {
      // Before whatever reads them.
      on_kubernetes(std::make_shared<SecretsPhase>()),
      // Kinds before the objects of these kinds.
      on_kubernetes(std::make_shared<CrdsPhase>()),
      // The CNI first, then whatever needs a network; Flux last.
      on_kubernetes(std::make_shared<CorePhase>()),
      // Last: the handover is reported only of what was just seen.
      on_kubernetes(std::make_shared<ValidationPhase>()),
  };
}

}  // namespace

std::vector<Step> bring_up(const ClusterProfile& profile) {
  const auto apply = std::make_shared<Apply>();
  const auto verify = std::make_shared<Verify>();
  using enum Milestone;
  std::vector<Step> steps{
      // Reads only: a node that is not there is reported before anything is changed on it.
      {std::make_shared<Preflight>(), Who::every_node, none, none, false},
      // Before any mutation, because every mutation is checked against the bound identity.
      {std::make_shared<Discover>(), Who::every_node, none, none, false},
      // A worker that has a config already gets its edits before there is a cluster to disturb.
      {std::make_shared<ApplyEdits>(), Who::workers, none, none, false},
      // First of all changes: etcd needs its members before anything needs etcd.
      {apply, Who::control_planes, none, control_planes_configured, true},
      // Beside the control planes by default: a worker that comes early only waits for trustd.
      {apply, Who::workers, before_workers(profile), none, true},
      // Needs the "no" of every control plane, which an installing node cannot give.
      {std::make_shared<BootstrapEtcd>(), Who::cluster, control_planes_configured,
       etcd_bootstrapped, false},
      // Before the API server is asked for, because it only answers over an etcd with quorum.
      {std::make_shared<EtcdHealth>(), Who::cluster, etcd_bootstrapped, etcd_healthy, false},
      // Only control planes give it out, and it is proved by the API answering through it.
      {std::make_shared<Kubeconfig>(), Who::cluster, etcd_healthy, api_answers, false},
      // A control plane stays in booting until it joined etcd, so its time starts there.
      {verify, Who::control_planes, etcd_healthy, nodes_verified, false},
      // Its kubelet cannot be healthy before there is an API to register with.
      {verify, Who::workers, api_answers, nodes_verified, false},
      // Last of the nodes, over all of them at once: success is said only of what was just seen.
      {std::make_shared<Ready>(), Who::cluster, nodes_verified, cluster_ready, false},
  };
  const bool phases = profile.kubernetes && profile.kubernetes->phases;
  if (phases) std::ranges::move(kubernetes_half(), std::back_inserter(steps));
  return steps;
}

std::vector<Step> bring_up_from(const ClusterProfile& profile, const Digest& snapshot) {
  std::vector<Step> steps = bring_up(profile);
  std::erase_if(steps, [](const Step& step) { return step.who == Who::kubernetes; });
  for (Step& step : steps) {
    if (step.needs != Milestone::none && step.reaches == Milestone::etcd_bootstrapped) {
      step.phase = std::make_shared<BootstrapEtcd>(snapshot);
    }
  }
  return steps;
}

std::vector<Step> kubernetes_steps(int first, int last) {
  std::vector<Step> steps = kubernetes_half();
  std::erase_if(steps, [&](const Step& step) {
    const int number = static_cast<const KubernetesPhase&>(*step.phase).number();
    return number < first || number > last;
  });
  for (Step& step : steps) step.needs = Milestone::none;
  return steps;
}

std::vector<const KubernetesPhase*> kubernetes_phases(const std::vector<Step>& steps) {
  std::vector<const KubernetesPhase*> phases;
  for (const Step& step : steps) {
    if (step.who != Who::kubernetes) continue;
    phases.push_back(static_cast<const KubernetesPhase*>(step.phase.get()));
  }
  return phases;
}

std::vector<Step> in_execution_order(std::vector<Step> steps) {
  const auto share_an_actor = [](const Step& one, const Step& other) {
    const auto of_cluster = [](Who who) { return who == Who::cluster || who == Who::kubernetes; };
    if (of_cluster(one.who) || of_cluster(other.who)) {
      return of_cluster(one.who) && of_cluster(other.who);
    }
    return one.who == other.who || one.who == Who::every_node || other.who == Who::every_node;
  };
  std::vector<Step> order;
  while (!steps.empty()) {
    const auto next = std::find_if(steps.begin(), steps.end(), [&](const Step& step) {
      const bool waits = std::any_of(steps.begin(), steps.end(), [&](const Step& other) {
        const bool earlier = &other < &step && share_an_actor(other, step);
        const bool opens = step.needs != Milestone::none && other.reaches == step.needs;
        return &other != &step && (earlier || opens);
      });
      return !waits;
    });
    check(next != steps.end(), "steps do not wait for each other in a circle");
    order.push_back(*next);
    steps.erase(next);
  }
  return order;
}

std::vector<Step> only(std::vector<Step> steps, const std::vector<std::string_view>& phases) {
  std::vector<Step> kept;
  for (Step& step : steps) {
    if (std::find(phases.begin(), phases.end(), step.phase->name()) != phases.end()) {
      kept.push_back(std::move(step));
    } else if (!kept.empty() && kept.back().reaches == Milestone::none &&
               kept.back().needs != step.reaches) {
      kept.back().reaches = step.reaches;
      kept.back().stands_in = true;
    }
  }
  for (auto step = kept.begin(); step != kept.end(); ++step) {
    // What no step reaches any more cannot be waited for, but what comes before it can.
    const auto reached_before = [&] {
      return std::any_of(kept.begin(), step,
                         [&](const Step& other) { return other.reaches == step->needs; });
    };
    while (step->needs != Milestone::none && !reached_before()) {
      step->needs = static_cast<Milestone>(static_cast<int>(step->needs) - 1);
    }
  }
  return kept;
}

}  // namespace ichor
