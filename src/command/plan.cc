#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "cluster/workspace.h"
#include "command/commands.h"
#include "model/kubernetes_plan.h"
#include "run/engine_run.h"
#include "run/finish.h"
#include "run/plan_sheet.h"
#include "run/vm_search.h"

namespace ichor {

namespace {

/// What follows on the nodes. The phases are planned by their own dry run, which needs the API.
void add_kubernetes(const ProfileInput& input, const RunTarget& target, Workspace& space,
                    KubernetesOptions options, Host& host, Summary& summary) {
  const Exit exit = summary.result.exit;
  const bool would_stop = exit != Exit::done && exit != Exit::changes_pending;
  if (would_stop) return;
  if (summary.planned.value_or(0) > 0 || !space.state || !space.secrets_kept) {
    summary.result.verdict += "; Kubernetes phases are planned when the API answers";
    return;
  }
  options.phases.phase.dry_run = true;
  options.check = kubeconfig_check(input.profile, space);
  auto work = KubernetesWork::prepare(input, target, *space.state, &space.apis->talos(),
                                      std::move(options), host);
  RunResult phases =
      work ? run_kubernetes(input.profile, *space.state, **work, host) : std::move(work).error();
  const int changed = work ? (*work)->changed() : 0;
  const bool good = phases.exit == Exit::done || phases.exit == Exit::changes_pending;
  summary.planned = changed;
  summary.result.exit = phases.exit;
  std::ranges::move(phases.findings, std::back_inserter(summary.result.findings));
  if (!good) {
    summary.result.verdict = std::move(phases.verdict);
  } else if (changed > 0) {
    summary.result.verdict =
        fmt::format("{}; Kubernetes: {}", summary.result.verdict, phases.verdict);
    summary.next = {"ichor up"};
  }
}

std::optional<KubernetesOptions> phases_of(const ProfileInput& input, const CommonOptions& common,
                                           const ChangeOptions& change) {
  const bool planned = input.profile.kubernetes && input.profile.kubernetes->phases;
  if (!planned || change.offline) return std::nullopt;
  KubernetesOptions options;
  options.for_programs = for_programs(common.output);
  options.detailed_exitcode = change.detailed_exitcode;
  return options;
}

}  // namespace

Exit plan_phases(ProfileInput input, const RunTarget& target, const PlanOptions& options,
                 Host& host) {
  WorkspaceOptions place = target.workspace_options(options.change);
  place.read_only = true;
  auto space = open_workspace(input, place, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  if (options.change.adopt) {
    JournalRecord adopted;
    adopted.kind = RecordKind::observed;
    adopted.key = kAdoptedKey;
    space->facts.fold(adopted, host.loop.clock().now());
  }
  if (!options.change.offline) {
    if (auto learned = learn_vms(input, target, *space, host); !learned) {
      return finish(summary_of(input, std::move(learned).error()), host.terminal);
    }
  }
  EngineOptions run{options.phases, false, options.steps};
  run.offline = options.change.offline;
  const std::unique_ptr<NodeDrain> drain = options.drain ? options.drain(*space) : nullptr;
  run.drain = drain.get();
  auto plan = make_plan(input.profile, *space, run, host);
  if (!plan) return finish(std::move(plan).error(), host.terminal);
  std::ranges::move(space->findings, std::back_inserter(input.warnings));
  Summary summary =
      show_plan(input, space->configs, *std::move(plan), options.change.detailed_exitcode, host);
  if (options.kubernetes) {
    add_kubernetes(input, target, *space, *options.kubernetes, host, summary);
  }
  return finish(std::move(summary), host.terminal);
}

Exit run(const PlanRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  PlanOptions options{{}, request.change};
  options.kubernetes = phases_of(*input, common, request.change);
  return plan_phases(*input, *target, options, host);
}

}  // namespace ichor
