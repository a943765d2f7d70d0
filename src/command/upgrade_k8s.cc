#include "phase/upgrade_k8s.h"

#include <fmt/format.h>

#include "command/commands.h"
#include "phase/upgrade_k8s_path.h"
#include "run/drain_access.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

/// What the profile should say from now on; until then `ichor up` refuses to go back.
void tell_of_profile(const std::string& declared, const KubernetesUpgrade& upgrade,
                     const ProfileInput& input, Summary& summary) {
  const auto says = kubernetes_version_in(declared);
  if ((says && *says == upgrade.target) || summary.result.exit != Exit::done) return;
  Finding note{
      Severity::note,
      "U13",
      {},
      "upgrade",
      fmt::format("the profile says Kubernetes {}, and the cluster runs {}",
                  declared.empty() ? "nothing" : declared, to_text(upgrade.target)),
      fmt::format("set kubernetes_version: {} in {}", to_text(upgrade.target), input.path)};
  summary.result.findings.push_back(std::move(note));
}

/// The version that the profile itself says.
OrEnd<std::string> declared_version(const CommonOptions& common, const RunOptions& options,
                                    Host& host) {
  auto declared = read_profile_input(common, options, host);
  if (!declared) return forward_error(declared);
  return declared->profile.talos.kubernetes_version;
}

OrEnd<KubernetesUpgrade> make_upgrade(const UpgradeK8sOptions& request,
                                      const std::string& declared) {
  KubernetesUpgrade upgrade;
  upgrade.target_given = !request.to.empty();
  const std::string& wanted = request.to.empty() ? declared : request.to;
  const auto version = kubernetes_version_in(wanted);
  if (!version) {
    return end_with(Exit::usage, wanted.empty() ? "the profile names no kubernetes_version: give "
                                                  "one with --to"
                                                : fmt::format("\"{}\" is not a version such as "
                                                              "v1.36.3",
                                                              wanted));
  }
  upgrade.target = *version;
  return upgrade;
}

}  // namespace

Exit run(const UpgradeK8sOptions& request, const CommonOptions& common, Host& host) {
  RunOptions run{request.nodes, request.change, {}};
  const auto declared = declared_version(common, run, host);
  if (!declared) return finish(declared.error(), host.terminal);
  const auto upgrade = make_upgrade(request, *declared);
  if (!upgrade) return finish(upgrade.error(), host.terminal);
  // The configs of this run are those of the new version.
  run.kubernetes_version = to_text(upgrade->target);
  auto input = read_profile_input(common, run, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  if (request.change.dry_run) {
    PlanOptions options{{}, request.change, upgrade_k8s_steps(*upgrade)};
    options.drain = [&](Workspace& space) {
      return make_drain(*input, *target, space, true, host);
    };
    return plan_phases(*input, *target, options, host);
  }
  auto space = open_workspace(*input, target->workspace_options(request.change), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  const auto drain = make_drain(*input, *target, *space, false, host);
  EngineOptions options{{}, true, upgrade_k8s_steps(*upgrade), request.change.adopt};
  options.drain = drain.get();
  Summary summary = summary_of(*input, run_engine(input->profile, *space, options, host));
  tell_of_profile(*declared, *upgrade, *input, summary);
  return finish(std::move(summary), host.terminal);
}

}  // namespace ichor
