#include <algorithm>
#include <fmt/format.h>

#include "cli/hints.h"
#include "command/commands.h"
#include "command/config_export.h"
#include "command/ground.h"
#include "command/kubernetes_run.h"
#include "command/partial_run.h"
#include "command/site_checks.h"
#include "model/kubernetes_plan.h"
#include "phase/kubernetes/prefetch.h"
#include "phase/ready.h"

namespace ichor {

namespace {

OrEnd<Ground> take_ground(const UpRequest& request, const CommonOptions& common,
                          const ProfileInput& input, Desk& desk) {
  if (!request.lab.wanted) return find_ground(common, input, desk);
  desk.set_time_scale(request.lab.time_scale);
  auto seat = take_lab(request.lab, common, desk);
  if (!seat) return tl::unexpected(std::move(seat).error());
  return ground_on(*seat, common, input);
}

bool ended_well(Exit exit) { return exit == Exit::done || exit == Exit::cni_pending; }

/// How the cluster is looked at; of a lab that ends with this run only after it was started again.
std::vector<std::string> look_at_it(const Ground& ground, const std::string& cluster) {
  const std::string kubectl = fmt::format("kubectl --kubeconfig {} --context {} get nodes",
                                          shell_quoted(ground.kubeconfig), shell_quoted(cluster));
  if (!ground.lab_ends_with_us) return {kubectl};
  return {fmt::format("ichor lab start --state {} --detach", shell_quoted(ground.lab)), kubectl};
}

/// What an operator may want to do after a run that ended so.
std::vector<std::string> next_steps(const RunResult& result, const Ground& ground,
                                    const std::string& cluster) {
  const bool gone = ground.lab_is_temporary && ended_well(result.exit);
  if (gone) return {"`ichor up --lab --lab-state DIR` keeps the lab: this one is removed"};
  switch (result.exit) {
    case Exit::done: return look_at_it(ground, cluster);
    case Exit::interrupted:
    case Exit::terminated:
    case Exit::out_of_time: return {"ichor up  # it goes on where this run was"};
    case Exit::failed:
      return {"correct what is named above, then `ichor up`: it goes on from there"};
    case Exit::cni_pending: return {"install the CNI, then `ichor wait nodes`"};
    case Exit::unsafe: return {"read what is named above first; then `ichor up` goes on"};
    default: return {};
  }
}

/// The Kubernetes phases that a request asks for; nothing if there are none.
std::optional<PhasesWish> phases_of(const UpRequest& request, const ProfileInput& input) {
  const bool planned = input.profile.kubernetes && input.profile.kubernetes->phases;
  if (!planned || request.only == UpPart::talos) return std::nullopt;
  PhasesWish wish;
  wish.first = std::max(static_cast<int>(request.from), 0);
  if (request.only) wish.first = wish.last = static_cast<int>(*request.only);
  wish.options = {request.change.dry_run, request.force_conflicts};
  return wish;
}

bool runs_talos(const UpRequest& request) {
  return request.only.value_or(request.from) == UpPart::talos;
}

/// What it took, held against what it should take.
void show_slo(const KubernetesPlan::Slo& slo, Duration talos, Duration total, Desk& desk) {
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
  desk.display().show(listing);
}

/// The Kubernetes part of a bring-up: its material, and what was done ahead.
struct NextPart {
  PhasesWish phases;
  KubernetesMaterial material;
  Prefetch ahead;
};

/// The Kubernetes part, after the Talos part has ended well.
void add_phases(const Ground& ground, const NextPart& next, const ProfileInput& input,
                Workspace& space, bool rows, RunResult& result, Desk& desk) {
  KubernetesWish wish;
  wish.phases = next.phases;
  wish.for_programs = rows;
  wish.fetched = next.ahead.charts;
  // That the CNI was pending is over or told again when the phases have ended.
  std::erase_if(result.findings, [](const Finding& one) { return one.id == kCniPending; });
  const Duration talos = result.elapsed;
  run_kubernetes(input, ground, *space.state, &space.site->talos(), wish, result, desk);
  show_slo(input.profile.kubernetes->slo, talos, result.elapsed, desk);
}

/// Asked before the run, for the same reason: whether the kubeconfig could be merged there.
std::optional<RunResult> refuse_merge(const std::string& path, const MergeWish& merge,
                                      const Workspace& space, Desk& desk) {
  const auto allowed = may_merge(path, merge, space, desk);
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

/// Puts the kubeconfig where people want it. Only one through which the API answered in this run.
void put_kubeconfig(const Ground& ground, const MergeWish& merge, Workspace& space,
                    Summary& summary, Desk& desk) {
  const auto exported = export_kubeconfig(ground.kubeconfig, ground.outside, merge, space, desk);
  if (!exported) {
    summary.result.findings.push_back({Severity::error,
                                       "L3",
                                       {},
                                       ground.kubeconfig,
                                       exported.error().message,
                                       "free the place, then run `ichor kubeconfig`"});
    if (ended_well(summary.result.exit)) summary.result.exit = Exit::failed;
  } else if (*exported) {
    summary.written.emplace_back("kubeconfig", ground.kubeconfig);
  }
}

Exit bring_up_on(const Ground& ground, const UpRequest& request, const ProfileInput& input,
                 const CommonOptions& common, Desk& desk) {
  // Asked before the run: a kubeconfig that may not be written is bad news after twenty minutes.
  if (auto allowed = desk.may_export(ground.kubeconfig); !allowed) {
    return finish(end_with(allowed.error()).value(), desk);
  }
  WorkspaceWish place = ground.wish(request.change);
  place.makes_secrets = true;
  place.meanwhile = [&](const Workspace& begun) {
    return refuse_if_failed(vip_check(input, ground, begun.facts, desk));
  };
  auto space = open_workspace(input, place, desk);
  if (!space) return finish(summary_of(input, std::move(space).error()), desk);

  // The file beside the profile is ichor's own; in a file that was named, nothing of others goes.
  const MergeWish merge{input.profile.name,
                        request.kubeconfig.empty() ? OnConflict::replace : OnConflict::refuse,
                        false};
  if (auto refused = refuse_merge(ground.kubeconfig, merge, *space, desk)) {
    return finish(summary_of(input, *std::move(refused)), desk);
  }
  if (auto refused = refuse_if_failed(credentials_check(input, *space, desk))) {
    return finish(summary_of(input, *std::move(refused)), desk);
  }
  const auto configs = export_configs(ground, input, *space, desk);
  if (!configs) return finish(end_with(configs.error()).value(), desk);
  RunWish wish;
  wish.adopt = request.change.adopt;
  std::optional<NextPart> next;
  if (const auto phases = phases_of(request, input)) {
    auto ready = check_kubernetes(input, *space->state, *phases, desk);
    if (!ready) return finish(summary_of(input, std::move(ready).error()), desk);
    next.emplace(NextPart{*phases, *std::move(ready), {}});
    wish.beside = [&](Context context) {
      return prefetch_charts(
          context, {desk.processes(), desk.absolute(space->state->path()), next->material},
          input.profile.talos.kubernetes_version, desk.display(), next->ahead);
    };
  }
  Summary summary = summary_of(input, run_engine(input.profile, *space, wish, desk));
  if (next) {
    const std::vector<Finding>& early = next->ahead.findings;
    summary.result.findings.insert(summary.result.findings.end(), early.begin(), early.end());
  }
  summary.written.emplace_back("state", space->state->path());
  summary.written.emplace_back("talosconfig", space->state->path() + "/talosconfig");
  summary.written.insert(summary.written.end(), configs->begin(), configs->end());
  if (summary.result.api_proved) put_kubeconfig(ground, merge, *space, summary, desk);
  if (ended_well(summary.result.exit) && next) {
    add_phases(ground, *next, input, *space, for_programs(common.output), summary.result, desk);
  }
  summary.next = next_steps(summary.result, ground, input.profile.name);
  const bool gone = ground.lab_is_temporary && ended_well(summary.result.exit);
  if (gone) summary.written.clear();
  const Exit exit = finish(std::move(summary), desk);
  if (gone) remove_lab(ground.lab, desk);
  return exit;
}

/// --from or --only a Kubernetes phase: the Talos part is taken as done.
Exit run_only_phases(const Ground& ground, const UpRequest& request, const ProfileInput& input,
                     const CommonOptions& common, Desk& desk) {
  const auto phases = phases_of(request, input);
  if (!phases) {
    return finish(end_with(Exit::usage, common.profile + " has no section `phases`").value(), desk);
  }
  auto space = open_workspace(input, ground.wish(request.change), desk);
  if (!space) return finish(std::move(space).error(), desk);
  KubernetesWish wish;
  wish.phases = *phases;
  wish.for_programs = for_programs(common.output);
  wish.detailed_exitcode = request.change.detailed_exitcode;
  RunResult result;
  TalosApi* talos = space->secrets_kept ? &space->site->talos() : nullptr;
  run_kubernetes(input, ground, *space->state, talos, wish, result, desk);
  return finish(summary_of(input, std::move(result)), desk);
}

}  // namespace

Exit run(const UpRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  auto ground = take_ground(request, common, *input, desk);
  if (!ground) return finish(std::move(ground).error(), desk);
  if (!request.kubeconfig.empty()) ground->kubeconfig = request.kubeconfig;
  if (!runs_talos(request)) return run_only_phases(*ground, request, *input, common, desk);
  if (!request.change.dry_run) return bring_up_on(*ground, request, *input, common, desk);
  return plan_phases(*input, *ground, {{}, request.change}, desk);
}

}  // namespace ichor
