#include <algorithm>
#include <fmt/format.h>

#include "command/commands.h"
#include "phase/restore_done.h"
#include "run/etcd_snapshot.h"
#include "run/partial_run.h"
#include "run/snapshot_input.h"

namespace ichor {

namespace {

/// One step that only writes into the journal.
RunResult note_the_end(const ProfileInput& input, Workspace& space, bool adopt, Host& host) {
  const Step step{std::make_shared<RestoreDone>(), Who::cluster, Milestone::none, Milestone::none,
                  false};
  const EngineOptions options{{}, false, {step}, adopt};
  return run_engine(input.profile, space, options, host);
}

/// What etcd holds after a restore, by a snapshot of it: the store goes on at the revision that it
/// had, and every control plane is a member.
OrEnd<std::uint64_t> prove(const ProfileInput& input, Workspace& space,
                           const SnapshotInput& snapshot, Host& host) {
  auto held = inspect_live(input, space, host);
  if (!held) return forward_error(held);
  if (held->revision >= snapshot.facts.revision) return held->revision;
  RunResult result;
  result.exit = Exit::failed;
  result.verdict =
      fmt::format("etcd is at revision {}, and the snapshot at {}: it was not restored",
                  held->revision, snapshot.facts.revision);
  result.findings.push_back({Severity::error,
                             "E9",
                             {},
                             "restore",
                             result.verdict,
                             "`talosctl logs etcd` on the first control plane says why"});
  return tl::unexpected(std::move(result));
}

Exit abandon(const EtcdRestoreRequest& request, const ProfileInput& input, const RunTarget& target,
             Host& host) {
  auto space = open_workspace(input, target.workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  const bool pending = space->facts.restoring() != nullptr;
  RunResult result = note_the_end(input, *space, request.change.adopt, host);
  if (result.exit == Exit::done) {
    result.verdict = pending ? input.profile.name + ": the restore is given up"
                             : input.profile.name + ": no restore was under way";
  }
  return finish(summary_of(input, std::move(result)), host.terminal);
}

void show(const SnapshotInput& snapshot, const std::string& path, Host& host) {
  nlohmann::ordered_json row;
  row["file"] = path;
  row["taken"] = snapshot.metadata ? snapshot.metadata->taken : "";
  row["revision"] = snapshot.facts.revision;
  row["keys"] = snapshot.facts.keys;
  row["bytes"] = snapshot.facts.bytes;
  row["sha256"] = to_hex(snapshot.facts.sha256);
  host.terminal.display().show({"etcd_snapshot",
                                {{"file", "FILE"},
                                 {"taken", "TAKEN"},
                                 {"revision", "REVISION"},
                                 {"keys", "KEYS"},
                                 {"bytes", "BYTES"}},
                                {row}});
}

/// Whether the run itself ended well; without a CNI the nodes are not Ready, but etcd is there.
bool is_up(const RunResult& result) {
  return result.exit == Exit::done || result.exit == Exit::cni_pending;
}

}  // namespace

Exit run(const EtcdRestoreRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, request.change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  if (request.cluster_name != input->profile.name) {
    return finish(
        end_with(Exit::usage, fmt::format("--cluster-name says {}, and the profile is of {}",
                                          request.cluster_name, input->profile.name))
            .value(),
        host.terminal);
  }
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  if (request.abandon) return abandon(request, *input, *target, host);
  const auto snapshot = open_snapshot(request.path, input->profile.name, host);
  if (!snapshot) return finish(snapshot.error(), host.terminal);
  show(*snapshot, request.path, host);
  const std::vector<Step> steps = bring_up_from(input->profile, snapshot->facts.sha256);
  if (request.change.dry_run) {
    return plan_phases(*input, *target, {{}, request.change, steps}, host);
  }
  auto space = open_workspace(*input, target->workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  EngineOptions options{{}, true, steps, request.change.adopt};
  options.snapshot = snapshot->bytes.get();
  RunResult result = run_engine(input->profile, *space, options, host);
  if (!is_up(result)) return finish(summary_of(*input, std::move(result)), host.terminal);
  const auto revision = prove(*input, *space, *snapshot, host);
  if (!revision) return finish(summary_of(*input, revision.error()), host.terminal);
  RunResult noted = note_the_end(*input, *space, request.change.adopt, host);
  if (noted.exit != Exit::done) return finish(summary_of(*input, std::move(noted)), host.terminal);
  result.verdict = fmt::format("{}: restored; etcd was at revision {} and goes on at {}",
                               input->profile.name, snapshot->facts.revision, *revision);
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

}  // namespace ichor
