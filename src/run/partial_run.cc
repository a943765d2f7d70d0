#include "run/partial_run.h"

#include "run/config_export.h"

namespace ichor {

Exit run_phases(const CommonOptions& common, const ProfileOptions& profile,
                const EngineOptions& options, Desk& desk) {
  auto input = read_profile_input(common, profile, desk);
  if (!input) return finish(std::move(input).error(), desk);
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  if (profile.change.dry_run) {
    return plan_phases(*input, *ground, {options.phases, profile.change}, desk);
  }
  WorkspaceOptions place = ground->workspace_options(profile.change);
  place.makes_secrets = options.changes_nodes;
  auto space = open_workspace(*input, place, desk);
  if (!space) return finish(std::move(space).error(), desk);
  const auto configs =
      options.changes_nodes ? export_configs(*ground, *input, *space, desk) : WrittenFiles();
  if (!configs) return finish(end_with(configs.error()).value(), desk);
  EngineOptions adopting = options;
  adopting.adopt = profile.change.adopt;
  Summary summary = summary_of(*input, run_engine(input->profile, *space, adopting, desk));
  summary.written = *configs;
  return finish(std::move(summary), desk);
}

}  // namespace ichor
