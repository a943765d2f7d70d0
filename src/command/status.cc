#include <algorithm>
#include <fmt/format.h>

#include "cluster/credential_listing.h"
#include "command/commands.h"
#include "model/etcd_advice.h"
#include "phase/discover.h"
#include "run/kube_layers.h"
#include "run/partial_run.h"
#include "run/vm_search.h"

namespace ichor {

namespace {

/// Every alarm of etcd, each once: all members list all of them.
std::string alarms_of(const ClusterView& seen) {
  std::string text;
  bool asked = false;
  for (const NodeView& node : seen.nodes) {
    asked = asked || node.etcd.alarms;
    for (const RaisedAlarm& raised : raised_alarms(node.etcd)) {
      const std::string one = to_text(raised);
      if (text.find(one) == std::string::npos) text += (text.empty() ? "" : "; ") + one;
    }
  }
  if (!text.empty()) return text;
  return asked ? "none" : "unknown";
}

nlohmann::ordered_json cluster_row(const ClusterProfile& profile, const ClusterView& seen) {
  const auto count = [&](Presence presence) {
    return std::count_if(seen.nodes.begin(), seen.nodes.end(),
                         [&](const NodeView& node) { return node.presence == presence; });
  };
  nlohmann::ordered_json row;
  row["cluster"] = profile.name;
  row["nodes"] = seen.nodes.size();
  row["configured"] = count(Presence::configured);
  row["maintenance"] = count(Presence::maintenance);
  row["silent"] = count(Presence::silent);
  row["foreign"] = count(Presence::foreign) + count(Presence::stranger);
  row["kubeconfig"] = seen.kubeconfig_written;
  row["alarms"] = alarms_of(seen);
  row["api"] = seen.api_ready == Known::yes  ? "ready"
               : seen.api_ready == Known::no ? "not ready"
                                             : "unknown";
  return row;
}

/// Of nodes that lost their config: that is no state of a cluster, but trouble.
void raise_alarms(const JournalFacts& facts, const ClusterView& seen, RunResult& result) {
  for (const NodeView& node : seen.nodes) {
    if (node.presence != Presence::maintenance || !facts.settled(node.node)) continue;
    result.findings.push_back(fallen_back(node.node, node.address, "stage"));
    result.verdict += "; " + result.findings.back().what;
  }
}

/// What is seen with a kubeconfig alone, where Talos cannot be asked.
Exit show_kubernetes(const StatusRequest& request, const ProfileInput& input,
                     const RunTarget& target, RunResult otherwise, Host& host) {
  const auto view = look_at_kubernetes(request.kubeconfig, input, target, Duration::zero(), host);
  if (!view) return finish(std::move(otherwise), host.terminal);
  show_layers(*view, host);
  RunResult result;
  result.exit = Exit::done;
  result.verdict =
      fmt::format("{}: looked at Kubernetes only; {}", input.profile.name, otherwise.verdict);
  return finish(summary_of(input, std::move(result)), host.terminal);
}

}  // namespace

Exit run(const StatusRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  WorkspaceOptions place = target->workspace_options();
  place.read_only = true;
  place.as_guest = true;
  auto space = open_workspace(*input, place, host);
  if (!space) {
    return show_kubernetes(request, *input, *target, std::move(space).error(), host);
  }
  if (auto learned = learn_vms(*input, *target, *space, host); !learned) {
    return finish(summary_of(*input, std::move(learned).error()), host.terminal);
  }
  auto seen = look_around(input->profile, *space, host);
  if (!seen) return finish(std::move(seen).error(), host.terminal);
  Listing cluster{"cluster",
                  {{"cluster", "CLUSTER"},
                   {"nodes", "NODES"},
                   {"configured", "CONFIGURED"},
                   {"maintenance", "MAINTENANCE"},
                   {"silent", "SILENT"},
                   {"foreign", "FOREIGN"},
                   {"kubeconfig", "KUBECONFIG", true},
                   {"api", "API"},
                   {"alarms", "ETCD ALARMS"}},
                  {cluster_row(input->profile, *seen)}};
  host.terminal.display().show(cluster);
  Listing nodes = node_listing(input->profile, space->configs, *seen);
  nodes.columns = {{"node", "NODE"},          {"role", "ROLE"},           {"address", "ADDRESS"},
                   {"stage", "STAGE"},        {"ready", "READY"},         {"version", "VERSION"},
                   {"config", "CONFIG"},      {"etcd", "ETCD"},           {"seen", "SEEN", true},
                   {"uuid", "UUID", true},    {"serial", "SERIAL", true}, {"macs", "MACS", true},
                   {"boot_id", "BOOT", true}, {"unmet", "UNMET", true},   {"trouble", "TROUBLE"}};
  host.terminal.display().show(nodes);
  const auto view = look_at_kubernetes(request.kubeconfig, *input, *target, Duration::zero(), host);
  if (view) show_layers(*view, host);
  const Listing credentials =
      credential_listing(input->profile.name, space->state.get(), host.loop.clock().wall());
  if (!credentials.rows.empty()) host.terminal.display().show(credentials);
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("{}: looked at {} nodes", input->profile.name, seen->nodes.size());
  result.findings = std::move(space->findings);
  raise_alarms(space->facts, *seen, result);
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

}  // namespace ichor
