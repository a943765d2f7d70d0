#include "cluster/fresh_state.h"
#include "cluster/kubeconfig_merge.h"
#include "command/commands.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

/// Where the kubeconfig goes; empty if nothing says.
std::string place_of(const KubeconfigRequest& request, const RunTarget& target, Host& host) {
  if (!request.path.empty()) return request.path;
  return request.merge ? default_kubeconfig(host) : target.kubeconfig;
}

}  // namespace

Exit run(const KubeconfigRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  const std::string path = place_of(request, *target, host);
  if (path.empty()) {
    return finish(
        end_with(Exit::usage, "--merge into which file? Neither KUBECONFIG nor HOME says").value(),
        host.terminal);
  }
  if (auto allowed = host.files.may_export(path); !allowed) {
    return finish(end_with(allowed.error()).value(), host.terminal);
  }
  auto space = open_workspace(*input, target->workspace_options(), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  space->state = without_kubeconfig(std::move(space->state));
  RunResult result = run_engine(input->profile, *space, {{"kubeconfig"}, false}, host);
  Summary summary = summary_of(*input, std::move(result));
  if (summary.result.exit == Exit::done) {
    const MergeOptions options{input->profile.name,
                               request.force ? OnConflict::replace : OnConflict::refuse,
                               request.use_context};
    const auto exported = export_kubeconfig(path, target->outside, options, *space, host);
    if (!exported) {
      Error error = exported.error();
      if (!request.force) error.message += "; name another file, or replace it with --force";
      return finish(end_with(error).value(), host.terminal);
    }
    summary.written.emplace_back("kubeconfig", path);
  }
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
