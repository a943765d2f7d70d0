#include "phase/ready.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/etcd_advice.h"
#include "phase/etcd_health.h"
#include "phase/kubeconfig.h"
#include "phase/verify.h"

namespace ichor {

namespace {

bool waits_for_cni(const NodeView& node) { return node.status && !node.status->ready; }

/// Without a CNI no node is Ready. Once one of them is, a CNI is there, and all must become Ready.
std::optional<Decision> decide_cni(const Wanted& wanted, const ClusterView& view) {
  const auto waiting = std::find_if(view.nodes.begin(), view.nodes.end(), waits_for_cni);
  if (!wanted.profile.talos.cni_none || waiting == view.nodes.end()) return std::nullopt;
  if (!std::all_of(view.nodes.begin(), view.nodes.end(), waits_for_cni)) {
    return Wait{fmt::format("{} is {}", waiting->node.value(), to_text(*waiting->status))};
  }
  Finding pending{Severity::warning,
                  std::string(kCniPending),
                  {},
                  "talos.cni",
                  fmt::format("0 of {} nodes are Ready: the profile says cni: none, and no CNI is "
                              "installed",
                              view.nodes.size()),
                  "add Cilium to phases.core, or install your CNI; then `ichor wait nodes`"};
  return Satisfied{{std::move(pending)}};
}

}  // namespace

Decision Ready::decide(const Wanted& wanted, const ClusterView& view) const {
  const Verify verify;
  std::optional<Decision> waiting;
  for (const NodeView& node : view.nodes) {
    Decision decision = verify.decide(wanted, *wanted.profile.find(node.node), node);
    if (std::holds_alternative<Stop>(decision)) return decision;
    if (!node.config_read && std::holds_alternative<Satisfied>(decision)) {
      decision = wait_for_node(*wanted.profile.find(node.node), node);
    }
    if (!waiting && !std::holds_alternative<Satisfied>(decision)) waiting = std::move(decision);
  }
  if (waiting) return *std::move(waiting);
  for (const NodeView& node : view.nodes) {
    if (wanted.now - node.at > kSeenTogether) return Wait{"every node must be looked at again"};
  }
  if (Decision etcd = decide_etcd_health(wanted, view); !std::holds_alternative<Satisfied>(etcd)) {
    return etcd;
  }
  // `health` may come before `kubeconfig`; without one ichor cannot ask the API.
  if (auto fetching = fetch_kubeconfig(wanted, view)) return *std::move(fetching);
  if (view.api_ready != Known::yes) {
    return Wait{view.api_trouble ? to_text(*view.api_trouble)
                                 : std::string("the Kubernetes API has not answered yet")};
  }
  if (wanted.now - view.api_at > kSeenTogether) return Wait{"the Kubernetes API must answer again"};
  if (auto pending = decide_cni(wanted, view)) return *std::move(pending);
  return Satisfied{};
}

std::string Ready::unmet_on(const Wanted& wanted, const NodeView& node) const {
  const Decision decision = Verify().decide(wanted, *wanted.profile.find(node.node), node);
  if (const Wait* wait = std::get_if<Wait>(&decision)) return wait->reason;
  if (const Stop* stop = std::get_if<Stop>(&decision)) return stop->finding.what;
  for (const RaisedAlarm& raised : raised_alarms(node.etcd)) {
    if (raised.hostname == node.node.value()) return "etcd alarm " + to_text(raised);
  }
  return {};
}

}  // namespace ichor
