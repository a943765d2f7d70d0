#include <algorithm>
#include <fmt/format.h>

#include "cluster/run_profile.h"
#include "command/commands.h"
#include "phase/defragment.h"
#include "phase/etcd_report.h"
#include "run/etcd_listing.h"
#include "run/etcd_snapshot.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

/// Every control plane takes part in a judgement of etcd, whichever nodes were named.
OrEnd<ProfileInput> read_whole(const CommonOptions& common, NodeOptions nodes,
                               const ChangeOptions& change, Host& host) {
  nodes.nodes.clear();
  return read_profile_input(common, {std::move(nodes), change, {}}, host);
}

bool is_error(const Finding& finding) { return finding.severity == Severity::error; }

RunResult status_result(const ProfileInput& input, const ClusterView& seen) {
  RunResult result;
  result.findings = etcd_findings(input.profile, seen);
  const auto errors = std::ranges::count_if(result.findings, is_error);
  result.exit = errors > 0 ? Exit::findings : Exit::done;
  result.verdict = errors > 0 ? fmt::format("{}: etcd has {} problem{}", input.profile.name, errors,
                                            errors == 1 ? "" : "s")
                              : fmt::format("{}: etcd is healthy: {} members agree",
                                            input.profile.name, seen.nodes.size());
  return result;
}

nlohmann::ordered_json snapshot_row(const TakenSnapshot& taken) {
  nlohmann::ordered_json row;
  row["file"] = taken.path;
  row["metadata"] = taken.metadata;
  row["node"] = taken.node.value();
  row["revision"] = taken.facts.revision;
  row["keys"] = taken.facts.keys;
  row["raft_index"] = taken.facts.raft_index;
  row["bytes"] = taken.facts.bytes;
  row["sha256"] = to_hex(taken.facts.sha256);
  row["storage_version"] = taken.facts.storage_version;
  row["encrypted"] = taken.encrypted;
  row["members"] = nlohmann::ordered_json::array();
  for (const EtcdMember& member : taken.facts.members) {
    row["members"].push_back({{"id", fmt::format("{:016x}", member.id.value())},
                              {"name", member.hostname},
                              {"learner", member.is_learner}});
  }
  row["removed"] = taken.removed;
  return row;
}

/// The members that are asked for, each with what earlier runs have sent to it.
OrEnd<DefragmentPlan> make_plan(const EtcdDefragRequest& request, const ProfileInput& input,
                                const JournalFacts& facts) {
  auto names = find_names(request.nodes.nodes, input.profile);
  if (!names) return forward_error(names);
  DefragmentPlan plan;
  for (const NodePlan& node : input.profile.nodes) {
    const bool named =
        names->empty() || std::find(names->begin(), names->end(), node.name) != names->end();
    if (!named) continue;
    if (node.role != Role::control_plane && !names->empty()) {
      return end_with(Exit::usage,
                      fmt::format("{} is a worker and has no etcd", node.name.value()));
    }
    if (node.role != Role::control_plane) continue;
    const MutationFact* sent = facts.last(Call::etcd_defragment, node.name);
    plan.nodes[node.name] = sent ? sent->intent : 0;
  }
  return plan;
}

}  // namespace

Exit run(const EtcdStatusRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_whole(common, request.nodes, {}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  auto space = open_to_look(common, *input, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  auto seen = see_etcd(input->profile, *space, host);
  if (!seen) return finish(std::move(seen).error(), host.terminal);
  host.terminal.display().show(etcd_listing(input->profile, *seen));
  return finish(summary_of(*input, status_result(*input, *seen)), host.terminal);
}

Exit run(const EtcdSnapshotRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_whole(common, request.nodes, {}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  auto names = find_names(request.nodes.nodes, input->profile);
  if (!names) return finish(std::move(names).error(), host.terminal);
  auto space = open_to_look(common, *input, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  SnapshotOptions options;
  options.path = request.path;
  if (!names->empty()) options.node = names->front();
  options.encrypt = request.encrypt || !request.recipients.empty();
  options.recipients = request.recipients;
  options.keep = request.keep;
  auto taken = take_snapshot(*input, *space, options, host);
  if (!taken) return finish(std::move(taken).error(), host.terminal);
  host.terminal.display().show({"etcd_snapshot",
                                {{"file", "FILE"},
                                 {"node", "NODE"},
                                 {"revision", "REVISION"},
                                 {"keys", "KEYS"},
                                 {"bytes", "BYTES"},
                                 {"encrypted", "ENCRYPTED"},
                                 {"sha256", "SHA256", true}},
                                {snapshot_row(*taken)}});
  RunResult result;
  result.exit = Exit::done;
  result.verdict =
      fmt::format("{}: the snapshot is whole: revision {}, {} keys, from {}", input->profile.name,
                  taken->facts.revision, taken->facts.keys, taken->node.value());
  result.findings = taken->warnings;
  Summary summary = summary_of(*input, std::move(result));
  summary.written.emplace_back("snapshot", taken->path);
  summary.written.emplace_back("metadata", taken->metadata);
  return finish(std::move(summary), host.terminal);
}

Exit run(const EtcdDefragRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_whole(common, request.nodes, request.change, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  if (request.change.dry_run) {
    auto looking = open_to_look(common, *input, host);
    if (!looking) return finish(std::move(looking).error(), host.terminal);
    auto plan = make_plan(request, *input, looking->facts);
    if (!plan) return finish(std::move(plan).error(), host.terminal);
    const Step step{std::make_shared<Defragment>(*std::move(plan)), Who::cluster, Milestone::none,
                    Milestone::none, false};
    return plan_phases(*input, *target, {{}, request.change, {step}}, host);
  }
  auto space = open_workspace(*input, target->workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  auto plan = make_plan(request, *input, space->facts);
  if (!plan) return finish(std::move(plan).error(), host.terminal);
  const Step step{std::make_shared<Defragment>(*std::move(plan)), Who::cluster, Milestone::none,
                  Milestone::none, false};
  const EngineOptions options{{}, true, {step}, request.change.adopt};
  return finish(summary_of(*input, run_engine(input->profile, *space, options, host)),
                host.terminal);
}

}  // namespace ichor
