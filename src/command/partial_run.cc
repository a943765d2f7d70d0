#include "command/partial_run.h"

namespace ichor {

Exit run_phases(const CommonOptions& common, const ProfileWish& profile, const RunWish& wish,
                Desk& desk) {
  auto input = read_profile_input(common, profile, desk);
  if (!input) return finish(std::move(input).error(), desk);
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  if (profile.change.dry_run) {
    return plan_phases(*input, *ground, {wish.phases, profile.change}, desk);
  }
  WorkspaceWish place = ground->wish(profile.change);
  place.makes_secrets = wish.changes_nodes;
  auto space = open_workspace(*input, place, desk);
  if (!space) return finish(std::move(space).error(), desk);
  RunWish adopting = wish;
  adopting.adopt = profile.change.adopt;
  return finish(summary_of(*input, run_engine(input->profile, *space, adopting, desk)), desk);
}

}  // namespace ichor
