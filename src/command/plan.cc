#include <algorithm>
#include <iterator>

#include "cluster/workspace.h"
#include "command/commands.h"
#include "run/engine_run.h"
#include "run/finish.h"
#include "run/plan_sheet.h"
#include "run/vm_search.h"

namespace ichor {

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
  return show_plan(input, space->configs, *std::move(plan), options.change.detailed_exitcode, host);
}

Exit run(const PlanRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  return plan_phases(*input, *target, {{}, request.change}, host);
}

}  // namespace ichor
