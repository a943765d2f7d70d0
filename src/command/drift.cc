#include "phase/drift.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

#include "cluster/machine_search.h"
#include "command/commands.h"
#include "engine/live_look.h"
#include "phase/apply.h"
#include "phase/discover.h"
#include "run/config_export.h"
#include "run/kube_reach.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

constexpr Duration kKubernetesLook = std::chrono::seconds(30);

/// What was compared, and what could not be.
struct DriftReport {
  std::vector<Drift> drifts;
  std::vector<Finding> findings;
  bool unseen{false};  // a node could not be compared
};

Task<void> look_into(Context context, World& world, const ClusterProfile& profile,
                     const JournalFacts& facts, std::vector<LiveNode>& nodes) {
  nodes = co_await look_live(context, world, profile, facts, LiveConfigs::read);
}

Task<void> list_into(Context context, KubeClient& client, CallResult<KubeList>& nodes) {
  KubeQuery query;
  query.kind = kind_of("v1", "Node");
  nodes = co_await client.list(context.within(kKubernetesLook), std::move(query));
}

OrEnd<void> drive(Task<void> task, CancelScope& scope, Host& host) {
  const int signal = host.loop.drive(std::move(task), scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
  if (signal != 0) return end_with(Exit::interrupted, "interrupted");
  return {};
}

OrEnd<void> compare_nodes(const ProfileInput& input, Workspace& space, Host& host,
                          DriftReport& report) {
  if (auto found = find_machines(input.profile, space, host); !found) return forward_error(found);
  ReadOnlyWorld looking(space, host);
  CancelScope scope;
  std::vector<LiveNode> nodes;
  const Context context{&host.loop.clock(), &scope};
  auto driven =
      drive(look_into(context, looking.world(), input.profile, space.facts, nodes), scope, host);
  if (!driven) return driven;
  for (const LiveNode& node : nodes) {
    const std::string& name = node.view.node.value();
    if (node.view.presence != Presence::configured || !node.config) {
      report.unseen = true;
      report.findings.push_back({Severity::error, "O4", node.view.node, "drift",
                                 node.view.trouble
                                     ? fmt::format("{}: {}", name, to_text(*node.view.trouble))
                                     : fmt::format("{} is {}", name, name_of(node.view.presence)),
                                 "what runs on it is not known: `ichor status` shows its state"});
      continue;
    }
    auto found = find_drift(input.profile, space.configs, space.facts, node);
    if (!found) return end_with(found.error());
    std::ranges::move(*found, std::back_inserter(report.drifts));
  }
  return {};
}

/// Labels, taints and the kubelet's version, where there is a kubeconfig and the API answers.
OrEnd<void> compare_kubernetes(const ProfileInput& input, const RunTarget& target,
                               const std::string& kubeconfig_file, Host& host,
                               DriftReport& report) {
  const auto skipped = [&](const std::string& why) {
    report.findings.push_back({Severity::warning,
                               "A8",
                               {},
                               "drift",
                               "labels, taints and kubelet versions were not compared: " + why,
                               "`ichor kubeconfig` fetches a kubeconfig"});
  };
  const auto kubeconfig = find_kubeconfig(kubeconfig_file, input, target, host);
  if (!kubeconfig) return skipped(kubeconfig.error().verdict), OrEnd<void>();
  auto client =
      host.network.open_kube(*kubeconfig, kubeconfig_file.empty() ? target.dial : nullptr);
  if (!client) return skipped(client.error().message), OrEnd<void>();
  CancelScope scope;
  CallResult<KubeList> nodes;
  const Context context{&host.loop.clock(), &scope};
  auto driven = drive(list_into(context, **client, nodes), scope, host);
  if (!driven) return driven;
  if (!nodes) return skipped(to_text(nodes.error())), OrEnd<void>();
  for (const NodePlan& plan : input.profile.nodes) {
    const auto object =
        std::find_if(nodes->items.begin(), nodes->items.end(),
                     [&](const KubeObject& one) { return ref_of(one).name == plan.name.value(); });
    if (object == nodes->items.end()) {
      report.drifts.push_back({plan.name, "Kubernetes node", "registered", "(none)"});
      continue;
    }
    std::ranges::move(find_node_drift(input.profile, plan, *object),
                      std::back_inserter(report.drifts));
  }
  return {};
}

void show(const DriftReport& report, Host& host) {
  Listing listing{"drift",
                  {{"node", "NODE"},
                   {"what", "WHAT"},
                   {"wanted", "PROFILE"},
                   {"live", "NODE HAS"},
                   {"changed", "CHANGED"}},
                  {}};
  for (const Drift& one : report.drifts) {
    nlohmann::ordered_json row;
    row["node"] = one.node.value();
    row["what"] = one.what;
    row["wanted"] = one.wanted;
    row["live"] = one.live;
    row["changed"] = one.changed;
    row["kind"] = one.is_config ? "config" : "system";
    row["downgrade"] = one.downgrade;
    listing.rows.push_back(std::move(row));
  }
  if (!listing.rows.empty()) host.terminal.display().show(listing);
}

RunResult result_of(const ProfileInput& input, DriftReport report) {
  RunResult result;
  result.findings = std::move(report.findings);
  const std::size_t count = report.drifts.size();
  if (count > 0) {
    result.exit = Exit::changes_pending;
    result.verdict = fmt::format("{}: {} difference{} from the profile", input.profile.name, count,
                                 count == 1 ? "" : "s");
  } else if (report.unseen) {
    result.exit = Exit::failed;
    result.verdict = input.profile.name + ": not every node could be compared";
  } else {
    result.exit = Exit::done;
    result.verdict = input.profile.name + ": no drift";
  }
  return result;
}

/// A profile that lags behind its cluster must not take it back by accident.
std::optional<RunResult> find_downgrades(const DriftReport& report) {
  RunResult result;
  for (const Drift& one : report.drifts) {
    if (!one.downgrade) continue;
    result.findings.push_back(
        {Severity::error, "O3", one.node, "drift",
         fmt::format("{} of {} would go back from {} to {}", one.what, one.node.value(), one.live,
                     one.wanted),
         "raise the version in the profile to what runs; ichor takes no version back"});
  }
  if (result.findings.empty()) return std::nullopt;
  result.exit = Exit::unsafe;
  result.verdict = "the profile asks for older versions than what runs: nothing was applied";
  return result;
}

Exit fix(const DriftRequest& request, const ProfileInput& input, const RunTarget& target,
         Host& host) {
  auto space = open_workspace(input, target.workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  // A config goes only to a machine that is known.
  const std::vector<Step> steps{
      {std::make_shared<Discover>(), Who::every_node, Milestone::none, Milestone::none, false},
      {std::make_shared<Apply>(Apply::Foreign::overwrite), Who::every_node, Milestone::none,
       Milestone::none, true}};
  const EngineOptions options{{}, true, steps, request.change.adopt};
  Summary summary = summary_of(input, run_engine(input.profile, *space, options, host));
  if (summary.result.exit == Exit::done) summary.next = {"ichor drift  # shows what is left"};
  return finish(std::move(summary), host.terminal);
}

}  // namespace

Exit run(const DriftRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, request.change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  WorkspaceOptions place = target->workspace_options(request.change);
  place.read_only = true;
  auto space = open_workspace(*input, place, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  DriftReport report;
  auto compared = compare_nodes(*input, *space, host, report);
  if (compared) {
    compared = compare_kubernetes(*input, *target, request.kubeconfig, host, report);
  }
  if (!compared) return finish(std::move(compared).error(), host.terminal);
  show(report, host);
  const bool config_differs = std::ranges::any_of(report.drifts, &Drift::is_config);
  if (!request.fix || !config_differs) {
    Summary summary = summary_of(*input, result_of(*input, std::move(report)));
    if (config_differs) summary.next = {"ichor drift --fix  # applies the configs again"};
    return finish(std::move(summary), host.terminal);
  }
  if (auto refused = find_downgrades(report)) {
    return finish(summary_of(*input, *std::move(refused)), host.terminal);
  }
  space = tl::unexpected(RunResult{});  // the journal is opened again, to be written
  return fix(request, *input, *target, host);
}

}  // namespace ichor
