#include "cluster/workspace.h"
#include "command/commands.h"
#include "run/engine_run.h"
#include "run/finish.h"
#include "run/plan_sheet.h"

namespace ichor {

Exit plan_phases(const ProfileInput& input, const Ground& ground, const PlanOptions& options,
                 Desk& desk) {
  WorkspaceOptions place = ground.workspace_options(options.change);
  place.read_only = true;
  auto space = open_workspace(input, place, desk);
  if (!space) return finish(std::move(space).error(), desk);
  if (options.change.adopt) {
    JournalRecord adopted;
    adopted.kind = RecordKind::observed;
    adopted.key = kAdoptedKey;
    space->facts.fold(adopted, desk.clock().now());
  }
  EngineOptions run{options.phases, false, options.steps};
  run.offline = options.change.offline;
  auto plan = make_plan(input.profile, *space, run, desk);
  if (!plan) return finish(std::move(plan).error(), desk);
  return show_plan(input, space->configs, *std::move(plan), options.change.detailed_exitcode, desk);
}

Exit run(const PlanRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  return plan_phases(*input, *ground, {{}, request.change}, desk);
}

}  // namespace ichor
