#include <algorithm>
#include <fmt/format.h>

#include "command/commands.h"
#include "command/partial_run.h"

namespace ichor {

namespace {

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
  row["api"] = seen.api_ready == Known::yes  ? "ready"
               : seen.api_ready == Known::no ? "not ready"
                                             : "unknown";
  return row;
}

}  // namespace

Exit run(const StatusRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  auto space = open_to_look(common, *input, desk);
  if (!space) return finish(std::move(space).error(), desk);
  auto seen = look_around(input->profile, *space, desk);
  if (!seen) return finish(std::move(seen).error(), desk);
  Listing cluster{"cluster",
                  {{"cluster", "CLUSTER"},
                   {"nodes", "NODES"},
                   {"configured", "CONFIGURED"},
                   {"maintenance", "MAINTENANCE"},
                   {"silent", "SILENT"},
                   {"foreign", "FOREIGN"},
                   {"kubeconfig", "KUBECONFIG", true},
                   {"api", "API"}},
                  {cluster_row(input->profile, *seen)}};
  desk.display().show(cluster);
  Listing nodes = node_listing(input->profile, space->configs, *seen);
  nodes.columns = {{"node", "NODE"},          {"role", "ROLE"},           {"address", "ADDRESS"},
                   {"stage", "STAGE"},        {"ready", "READY"},         {"version", "VERSION"},
                   {"config", "CONFIG"},      {"etcd", "ETCD"},           {"seen", "SEEN", true},
                   {"uuid", "UUID", true},    {"serial", "SERIAL", true}, {"macs", "MACS", true},
                   {"boot_id", "BOOT", true}, {"unmet", "UNMET", true},   {"trouble", "TROUBLE"}};
  desk.display().show(nodes);
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("{}: looked at {} nodes", input->profile.name, seen->nodes.size());
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
