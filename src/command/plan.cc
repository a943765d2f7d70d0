#include "cluster/workspace.h"
#include "command/commands.h"
#include "run/engine_run.h"
#include "run/finish.h"
#include "run/plan_sheet.h"

namespace ichor {

Exit plan_phases(const ProfileInput& input, const Ground& ground, const PlanWish& wish,
                 Desk& desk) {
  WorkspaceWish place = ground.wish(wish.change);
  place.read_only = true;
  auto space = open_workspace(input, place, desk);
  if (!space) return finish(std::move(space).error(), desk);
  if (wish.change.adopt) {
    JournalRecord adopted;
    adopted.kind = RecordKind::observed;
    adopted.key = kAdoptedKey;
    space->facts.fold(adopted, desk.clock().now());
  }
  RunWish run{wish.phases, false, wish.steps};
  run.offline = wish.change.offline;
  auto plan = make_plan(input.profile, *space, run, desk);
  if (!plan) return finish(std::move(plan).error(), desk);
  return show_plan(input, space->configs, *std::move(plan), wish.change.detailed_exitcode, desk);
}

Exit run(const PlanRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, request.change, request.exclude}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  return plan_phases(*input, *ground, {{}, request.change}, desk);
}

}  // namespace ichor
