#include <algorithm>
#include <fmt/format.h>

#include "base/words.h"
#include "cluster/ask_journal.h"
#include "command/commands.h"
#include "model/kubernetes_plan.h"
#include "run/cluster_checks.h"
#include "run/config_export.h"
#include "run/engine_run.h"
#include "run/kubernetes_run.h"
#include "run/partial_run.h"
#include "run/provision_step.h"
#include "run/run_target.h"
#include "run/vm_search.h"
#include "view/html_report.h"

namespace ichor {

namespace {

OrEnd<RunTarget> take_target(const UpRequest& request, const CommonOptions& common,
                             const ProfileInput& input, Host& host) {
  if (!request.lab.wanted) return find_target(common, input, host);
  host.loop.set_time_scale(request.lab.time_scale);
  auto lab_found = find_or_start_lab(request.lab, common, host);
  if (!lab_found) return forward_error(lab_found);
  return target_on(*lab_found, common, input);
}

bool ended_well(Exit exit) { return exit == Exit::done || exit == Exit::cni_pending; }

/// How the cluster is looked at; of a lab that ends with this run only after it was started again.
std::vector<std::string> look_at_it(const RunTarget& target, const std::string& cluster) {
  const std::string kubectl = fmt::format("kubectl --kubeconfig {} --context {} get nodes",
                                          shell_quoted(target.kubeconfig), shell_quoted(cluster));
  if (!target.lab_ends_with_us) return {kubectl};
  return {fmt::format("ichor lab start --state {} --detach", shell_quoted(target.lab)), kubectl};
}

/// What an operator may want to do after a run that ended so.
std::vector<std::string> next_steps(const RunResult& result, const RunTarget& target,
                                    const std::string& cluster) {
  const bool gone = target.lab_is_temporary && ended_well(result.exit);
  if (gone) return {"`ichor up --lab --lab-state DIR` keeps the lab: this one is removed"};
  switch (result.exit) {
    case Exit::done: return look_at_it(target, cluster);
    case Exit::interrupted:
    case Exit::terminated:
    case Exit::out_of_time: return {"ichor up  # it continues where this run was"};
    case Exit::failed:
      return {"fix the errors above, then run `ichor up`: it continues from there"};
    case Exit::cni_pending: return {"install the CNI, then `ichor wait nodes`"};
    case Exit::unsafe: return {"read the errors above first, then run `ichor up`"};
    default: return {};
  }
}

/// The Kubernetes phases that a request asks for; nothing if there are none.
std::optional<KubernetesOptions> phases_of(const UpRequest& request, const ProfileInput& input,
                                           const CommonOptions& common) {
  const bool planned = input.profile.kubernetes && input.profile.kubernetes->phases;
  if (!planned || request.only == UpPart::talos) return std::nullopt;
  KubernetesOptions options;
  options.first = std::max(static_cast<int>(request.from), 0);
  if (request.only) options.first = options.last = static_cast<int>(*request.only);
  options.phases.phase = {request.change.dry_run, request.force_conflicts};
  options.for_programs = for_programs(common.output);
  options.detailed_exitcode = request.change.detailed_exitcode;
  return options;
}

bool runs_talos(const UpRequest& request) {
  return request.only.value_or(request.from) == UpPart::talos;
}

/// What it took, held against what it should take.
void show_slo(const KubernetesPlan::Slo& slo, Duration talos, Duration total, Host& host) {
  Listing listing;
  listing.type = "slo";
  listing.columns = {
      {"part", "PART"}, {"seconds", "SECONDS"}, {"slo", "SLO"}, {"within_slo", "WITHIN"}};
  const auto add = [&](const char* part, Duration took, Duration wanted) {
    nlohmann::ordered_json row;
    row["part"] = part;
    row["seconds"] = std::chrono::duration<double>(took).count();
    row["slo"] = std::chrono::duration<double>(wanted).count();
    row["within_slo"] = took <= wanted;
    listing.rows.push_back(std::move(row));
  };
  add("talos", talos, slo.talos);
  add("total", total, slo.total);
  host.terminal.display().show(listing);
}

/// Asked before the run, for the same reason: whether the kubeconfig could be merged there.
std::optional<RunResult> refuse_merge(const std::string& path, const MergeOptions& merge,
                                      const Workspace& space, Host& host) {
  const auto allowed = may_merge(path, merge, space, host);
  if (allowed) return std::nullopt;
  RunResult refused = end_with(Exit::unsafe, allowed.error().message).value();
  refused.findings.push_back({Severity::error,
                              "L3",
                              {},
                              path,
                              allowed.error().message,
                              "name another file with --kubeconfig, or repair this one"});
  return refused;
}

/// What this machine or the cluster's surroundings make impossible.
std::optional<RunResult> refuse_if_failed(const Check& check) {
  const std::vector<Finding> failures = failures_of({check});
  if (failures.empty()) return std::nullopt;
  RunResult refused;
  refused.exit = Exit::unsafe;
  refused.verdict = failures.front().what;
  refused.findings = failures;
  return refused;
}

/// Says where the kubeconfig went, or why it could not be put there.
void note_kubeconfig(const Result<bool>& exported, const std::string& path, Summary& summary) {
  if (!exported) {
    summary.result.findings.push_back({Severity::error,
                                       "L3",
                                       {},
                                       path,
                                       exported.error().message,
                                       "free the place, then run `ichor kubeconfig`"});
    if (ended_well(summary.result.exit)) summary.result.exit = Exit::failed;
  } else if (*exported) {
    summary.written.emplace_back("kubeconfig", path);
  }
}

/// Leaves the report of all runs in the state folder. A report that cannot be written is no reason
/// to call the run failed: the journal has all of it.
void write_report(const std::string& cluster, ClusterState& state, Summary& summary, Host& host) {
  if (summary.result.nodes.empty()) return;  // it was refused before it looked at a node
  const auto records = read_journal(state.journal(), host.loop);
  if (!records) return;
  const auto written =
      state.files().write("report.html", SecretString(html_report(cluster, *records)));
  if (written) summary.written.emplace_back("report", state.path() + "/report.html");
}

/// The front of the line, with --provision. What it came to, with warnings about machines that
/// exist (rule C7), or how the command ends.
tl::expected<RunResult, Summary> provision(const UpRequest& request, const RunTarget& target,
                                           ProfileInput& input, const RunTurn& turn,
                                           Workspace& space, Host& host) {
  if (auto learned = learn_vms(input, target, space, host); !learned) {
    return tl::unexpected(summary_of(input, std::move(learned).error()));
  }
  if (!request.provision) return RunResult{};
  // What could not be asked of the provider is said by what follows.
  space.findings.clear();
  ProvisionOptions work;
  work.turn = &turn;
  work.work = [&](ProvisionRun& run, Context context) {
    return make_machines(run, context, input, space, host);
  };
  RunResult made = run_provision(input, target, space.state.get(), work, host);
  if (made.exit == Exit::done) return made;
  Summary summary = summary_of(input, std::move(made));
  for (std::string step : next_steps(summary.result, target, input.profile.name)) {
    constexpr std::string_view kUp = "ichor up";
    if (const std::size_t at = step.find(kUp); at != step.npos) {
      step.insert(at + kUp.size(), " --provision");
    }
    summary.next.push_back(std::move(step));
  }
  return tl::unexpected(std::move(summary));
}

/// What the machines took belongs to the same run.
void add(const RunResult& made, RunResult& result) {
  result.mutations += made.mutations;
  result.findings.insert(result.findings.begin(), made.findings.begin(), made.findings.end());
}

/// Opens the cluster, after all that would be bad news after twenty minutes.
OrEnd<Workspace> open_for_run(const RunTarget& target, const UpRequest& request,
                              const ProfileInput& input, const MergeOptions& merge, Host& host) {
  if (auto allowed = host.files.may_export(target.kubeconfig); !allowed) {
    return end_with(allowed.error());
  }
  WorkspaceOptions place = target.workspace_options(request.change);
  place.makes_secrets = true;
  place.meanwhile = [&](const Workspace& begun) -> std::optional<RunResult> {
    // The operator says that the cluster is older than this journal, so it may hold its VIP.
    if (request.change.adopt) return std::nullopt;
    return refuse_if_failed(vip_check(input, target, begun.facts, host));
  };
  auto space = open_workspace(input, place, host);
  if (!space) return space;
  auto refused = refuse_merge(target.kubeconfig, merge, *space, host);
  if (!refused) refused = refuse_if_failed(credentials_check(input, *space, host));
  if (refused) return tl::unexpected(*std::move(refused));
  return space;
}

Exit bring_up_on(const RunTarget& target, const UpRequest& request, ProfileInput input,
                 const CommonOptions& common, Host& host) {
  // The file beside the profile is ichor's own; in a file that was named, nothing of others goes.
  const MergeOptions merge{input.profile.name,
                           request.kubeconfig.empty() ? OnConflict::replace : OnConflict::refuse,
                           false};
  auto space = open_for_run(target, request, input, merge, host);
  if (!space) return finish(summary_of(input, std::move(space).error()), host.terminal);
  const auto turn = take_turn(space->state->journal(), host);
  if (!turn) return finish(summary_of(input, turn.error()), host.terminal);
  const auto made = provision(request, target, input, *turn, *space, host);
  if (!made) return finish(made.error(), host.terminal);
  // A run that made machines has started: if it goes no further, the journal says why.
  const auto stop = [&](const RunResult& why) {
    if (request.provision) {
      end_turn(space->state->journal(), *turn, input.profile.name, why, host);
    }
    return finish(summary_of(input, why), host.terminal);
  };
  const auto configs = export_configs(target, input, *space, host);
  if (!configs) return stop(end_with(configs.error()).value());
  std::unique_ptr<KubernetesWork> work;
  // Only a kubeconfig through which the API answered in this run.
  std::optional<Result<bool>> exported;
  const auto export_once = [&] {
    if (exported) return;
    exported = export_kubeconfig(target.kubeconfig, target.outside, merge, *space, host);
  };
  if (auto phases = phases_of(request, input, common)) {
    // A Kubernetes phase that fails, or a kill, must not cost the kubeconfig.
    phases->on_open = export_once;
    phases->check = kubeconfig_check(input.profile, *space);
    auto ready = KubernetesWork::prepare(input, target, *space->state, &space->apis->talos(),
                                         *std::move(phases), host);
    if (!ready) return stop(ready.error());
    work = *std::move(ready);
  }
  EngineOptions run;
  run.adopt = request.change.adopt;
  run.turn = &*turn;
  run.kubernetes = work ? &work->part() : nullptr;
  Summary summary = summary_of(input, run_engine(input.profile, *space, run, host));
  add(*made, summary.result);
  if (summary.result.api_proved) export_once();
  if (work && work->part().result().started()) {
    work->show(summary.result);
    const Duration total = summary.result.elapsed;
    show_slo(input.profile.kubernetes->slo, total - work->part().result().took, total, host);
  }
  summary.written.emplace_back("state", space->state->path());
  summary.written.emplace_back("talosconfig", space->state->path() + "/talosconfig");
  summary.written.insert(summary.written.end(), configs->begin(), configs->end());
  write_report(input.profile.name, *space->state, summary, host);
  if (exported) note_kubeconfig(*exported, target.kubeconfig, summary);
  summary.next = next_steps(summary.result, target, input.profile.name);
  const bool gone = target.lab_is_temporary && ended_well(summary.result.exit);
  if (gone) summary.written.clear();
  return finish(std::move(summary), host.terminal);
}

/// --from or --only a Kubernetes phase: the Talos part is taken as done.
Exit run_only_phases(const RunTarget& target, const UpRequest& request, const ProfileInput& input,
                     const CommonOptions& common, Host& host) {
  auto options = phases_of(request, input, common);
  if (!options) {
    return finish(end_with(Exit::usage, common.profile + " has no section `phases`").value(),
                  host.terminal);
  }
  auto space = open_workspace(input, target.workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  TalosApi* talos = space->secrets_kept ? &space->apis->talos() : nullptr;
  options->check = kubeconfig_check(input.profile, *space);
  auto work =
      KubernetesWork::prepare(input, target, *space->state, talos, *std::move(options), host);
  if (!work) return finish(summary_of(input, std::move(work).error()), host.terminal);
  RunResult result = run_kubernetes(input.profile, *space->state, **work, host);
  return finish(summary_of(input, std::move(result)), host.terminal);
}

Exit run_on(const RunTarget& target, const UpRequest& request, const ProfileInput& input,
            const CommonOptions& common, Host& host) {
  if (!runs_talos(request)) return run_only_phases(target, request, input, common, host);
  if (!request.change.dry_run) return bring_up_on(target, request, input, common, host);
  PlanOptions options{{}, request.change};
  options.kubernetes = phases_of(request, input, common);
  return plan_phases(input, target, options, host);
}

}  // namespace

Exit run(const UpRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  auto target = take_target(request, common, *input, host);
  if (!target) return finish(std::move(target).error(), host.terminal);
  if (!request.kubeconfig.empty()) target->kubeconfig = request.kubeconfig;
  const Exit exit = run_on(*target, request, *input, common, host);
  if (target->lab_ends_with_us) {
    end_lab(target->lab, target->lab_is_temporary && ended_well(exit), host);
  }
  return exit;
}

}  // namespace ichor
