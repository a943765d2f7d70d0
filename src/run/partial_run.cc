#include "run/partial_run.h"

#include "run/config_export.h"
#include "run/vm_search.h"

namespace ichor {

Exit run_phases(const CommonOptions& common, const RunOptions& run, const EngineOptions& options,
                Host& host) {
  auto input = read_profile_input(common, run, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  if (run.change.dry_run) {
    return plan_phases(*input, *target, {options.phases, run.change}, host);
  }
  WorkspaceOptions place = target->workspace_options(run.change);
  place.makes_secrets = options.changes_nodes;
  auto space = open_workspace(*input, place, host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  if (auto learned = learn_vms(*input, *target, *space, host); !learned) {
    return finish(summary_of(*input, std::move(learned).error()), host.terminal);
  }
  const auto configs =
      options.changes_nodes ? export_configs(*target, *input, *space, host) : WrittenFiles();
  if (!configs) return finish(end_with(configs.error()).value(), host.terminal);
  EngineOptions adopting = options;
  adopting.adopt = run.change.adopt;
  Summary summary = summary_of(*input, run_engine(input->profile, *space, adopting, host));
  summary.written = *configs;
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
