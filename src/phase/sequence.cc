#include "phase/sequence.h"

#include <algorithm>

#include "base/check.h"
#include "phase/apply.h"
#include "phase/bootstrap_etcd.h"
#include "phase/discover.h"
#include "phase/etcd_health.h"
#include "phase/kubeconfig.h"
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

}  // namespace

std::vector<Step> bring_up(const ClusterProfile& profile) {
  const auto apply = std::make_shared<Apply>();
  const auto verify = std::make_shared<Verify>();
  using enum Milestone;
  return {
      // Reads only: a node that is not there is told before anything was changed on it.
      {std::make_shared<Preflight>(), Who::every_node, none, none, false},
      // Before any mutation, because every mutation is checked against the bound identity.
      {std::make_shared<Discover>(), Who::every_node, none, none, false},
      // A worker that has a config already gets its edits before there is a cluster to disturb.
      {std::make_shared<ApplyEdits>(), Who::workers, none, none, false},
      {apply, Who::control_planes, none, control_planes_configured, true},
      // After the API answers by default; a worker that comes earlier only waits for trustd.
      {apply, Who::workers, before_workers(profile), none, true},
      // Needs the "no" of every control plane, which an installing node cannot give.
      {std::make_shared<BootstrapEtcd>(), Who::cluster, control_planes_configured,
       etcd_bootstrapped, false},
      {std::make_shared<EtcdHealth>(), Who::cluster, etcd_bootstrapped, etcd_healthy, false},
      {std::make_shared<Kubeconfig>(), Who::cluster, etcd_healthy, api_answers, false},
      // A control plane stays in booting until it joined etcd, so its time starts there.
      {verify, Who::control_planes, etcd_healthy, nodes_verified, false},
      {verify, Who::workers, api_answers, nodes_verified, false},
      // Last, over everything at once: success is said only of what was just seen.
      {std::make_shared<Ready>(), Who::cluster, nodes_verified, none, false},
  };
}

std::vector<Step> in_execution_order(std::vector<Step> steps) {
  const auto share_an_actor = [](const Step& one, const Step& other) {
    if (one.who == Who::cluster || other.who == Who::cluster) return one.who == other.who;
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
    // What nobody reaches any more cannot be waited for, but what comes before it can.
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
