#include "phase/upgrade.h"

#include <algorithm>
#include <fmt/format.h>

#include "cluster/run_profile.h"
#include "command/commands.h"
#include "machineconfig/schematic.h"
#include "phase/take_snapshot.h"
#include "run/drain_access.h"
#include "run/etcd_snapshot.h"
#include "run/partial_run.h"
#include "run/snapshot_input.h"

namespace ichor {

namespace {

constexpr std::size_t kSchematicDigits = 64;

OrEnd<std::string> schematic_id(const std::string& text, Host& host) {
  const bool is_id = text.size() == kSchematicDigits &&
                     text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (text.empty() || is_id) return text;
  const auto content = host.files.read_input(text);
  if (!content) return end_with(Exit::usage, content.error().message);
  const auto schematic = Schematic::read(*content, text);
  if (!schematic) return end_with(Exit::usage, schematic.error().message);
  return schematic->id();
}

OrEnd<UpgradePlan> make_upgrade_plan(const UpgradeOptions& request, const ProfileInput& input,
                                     Host& host) {
  const ClusterProfile& profile = input.profile;
  UpgradePlan plan;
  plan.target = request.to.value_or(profile.talos.version);
  plan.target_given = request.to.has_value();
  plan.drain = request.drain;
  if (!request.consent_downtime.empty() && request.consent_downtime != profile.name) {
    return end_with(Exit::usage, fmt::format("--consent-downtime says {}, and the profile is of {}",
                                             request.consent_downtime, profile.name));
  }
  plan.downtime = !request.consent_downtime.empty();
  plan.snapshot = !request.no_snapshot;
  auto schematic = schematic_id(request.schematic, host);
  if (!schematic) return forward_error(schematic);
  plan.schematic = *std::move(schematic);
  const auto names = find_names(request.nodes.nodes, profile);
  if (!names) return forward_error(names);
  plan.nodes.insert(names->begin(), names->end());
  if (names->empty()) {
    for (const NodePlan& node : profile.nodes) plan.nodes.insert(node.name);
  }
  return plan;
}

/// The profile with what this run says about it.
ClusterProfile profile_for(const UpgradeOptions& request, const ClusterProfile& declared) {
  ClusterProfile profile = declared;
  const int workers = static_cast<int>(profile.nodes.size()) - profile.control_plane_count();
  profile.concurrency = request.in_percent ? std::max(workers * request.workers_at_once / 100, 1)
                                           : request.workers_at_once;
  profile.budgets.drain = request.drain_timeout.value_or(profile.budgets.drain);
  return profile;
}

/// Where the snapshot goes that is taken before the upgrade.
SnapshotOptions snapshot_options(const UpgradeOptions& request, const UpgradePlan& plan,
                                 const Workspace& space, Host& host) {
  SnapshotOptions options;
  options.encrypt = request.encrypt || !request.recipients.empty();
  options.recipients = request.recipients;
  options.keep = request.keep;
  options.path = request.snapshot_path;
  if (!options.path.empty()) return options;
  options.path = fmt::format("{}/etcd-before-{}-{}.db", space.state->path(), to_text(plan.target),
                             host.loop.clock().wall().unix_ms / 1000);
  return options;
}

/// A snapshot that an interrupted run took counts only while it is whole.
OrEnd<void> check_snapshot(const Workspace& space, const std::string& cluster,
                           const std::string& given, UpgradePlan& plan, Host& host) {
  const std::string path = snapshot_before(space.facts, plan.target);
  if (path.empty() || !plan.snapshot) return {};
  if (open_snapshot(path, cluster, host)) return {};
  plan.lost_snapshot = path;
  if (path != given) return {};
  return end_with(Exit::usage,
                  fmt::format("the interrupted upgrade took a snapshot at {}, and that "
                              "file is gone or damaged: name another one with "
                              "--snapshot-file",
                              path));
}

void tell_of_snapshot(const std::optional<TakenSnapshot>& taken, Summary& summary) {
  if (!taken) return;
  summary.written.emplace_back("snapshot", taken->path);
  summary.written.emplace_back("metadata", taken->metadata);
  std::ranges::copy(taken->warnings, std::back_inserter(summary.result.findings));
}

/// What the profile should say from now on, or the next upgrade without --to goes back.
void tell_of_profile(const UpgradePlan& plan, const ClusterProfile& profile, Summary& summary) {
  if (plan.target == profile.talos.version || summary.result.exit != Exit::done) return;
  Finding note{Severity::note,
               "U5",
               {},
               "upgrade",
               fmt::format("the profile says Talos {}, and the nodes run {}",
                           to_text(profile.talos.version), to_text(plan.target)),
               fmt::format("set talos.version: {} in {}", to_text(plan.target), profile.name)};
  summary.result.findings.push_back(std::move(note));
}

}  // namespace

Exit run(const UpgradeOptions& request, const CommonOptions& common, Host& host) {
  // Quorum is judged by all control planes, so the profile keeps its nodes.
  NodeOptions everybody = request.nodes;
  everybody.nodes.clear();
  auto declared = read_profile_input(common, {everybody, request.change, {}}, host);
  if (!declared) return finish(std::move(declared).error(), host.terminal);
  auto plan = make_upgrade_plan(request, *declared, host);
  if (!plan) return finish(plan.error(), host.terminal);
  const auto target = find_target(common, *declared, host);
  if (!target) return finish(target.error(), host.terminal);
  if (request.change.dry_run) {
    PlanOptions options{{}, request.change, upgrade_steps(*plan)};
    options.drain = [&](Workspace& space) {
      return make_drain(*declared, *target, space, true, host);
    };
    return plan_phases(*declared, *target, options, host);
  }
  auto space = open_workspace(*declared, target->workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  const auto drain = make_drain(*declared, *target, *space, false, host);
  const auto checked =
      check_snapshot(*space, declared->profile.name, request.snapshot_path, *plan, host);
  if (!checked) return finish(summary_of(*declared, checked.error()), host.terminal);
  const SnapshotOptions snapshot = snapshot_options(request, *plan, *space, host);
  std::optional<TakenSnapshot> taken;
  EngineOptions options{{}, true, upgrade_steps(*plan), request.change.adopt};
  options.drain = drain.get();
  const ClusterProfile profile = profile_for(request, declared->profile);
  options.keep_snapshot = [&](Context context, TalosSession& session, const NodeName& node) {
    return keep_snapshot(context, session, node, profile, snapshot, host, taken);
  };
  Summary summary = summary_of(*declared, run_engine(profile, *space, options, host));
  tell_of_snapshot(taken, summary);
  tell_of_profile(*plan, declared->profile, summary);
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
