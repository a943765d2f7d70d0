#include <algorithm>
#include <fmt/format.h>

#include "command/commands.h"
#include "model/kubernetes_plan.h"
#include "run/kube_layers.h"
#include "run/partial_run.h"

namespace ichor {

namespace {

/// For the layers, however long the nodes took: one look and a little more.
constexpr Duration kLeast = std::chrono::seconds(1);

/// What the Kubernetes phases have made must hold as well, where the profile has them.
void judge_layers(const HealthRequest& request, const ProfileInput& input, const RunTarget& target,
                  RunResult& result, Host& host) {
  // Without a CNI no layer above it can come up: one look shows how far they are.
  const bool wanted = input.profile.kubernetes && input.profile.kubernetes->phases &&
                      result.exit != Exit::cni_pending;
  // What the nodes took is taken from the time that there is.
  const Duration left = std::max<Duration>(input.profile.budgets.verify - result.elapsed, kLeast);
  const auto view =
      look_at_kubernetes(request.kubeconfig, input, target, wanted ? left : Duration::zero(), host);
  if (!view) return;
  show_layers(*view, host);
  const std::vector<std::string> waiting = layers_waiting(*view);
  if (!wanted || waiting.empty()) return;
  result.exit = Exit::out_of_time;
  result.verdict = fmt::format("not healthy yet: {}", fmt::join(waiting, ", "));
  for (const Layer& layer : view->layers) {
    for (const Unmet& unmet : layer.unmet) {
      result.findings.push_back(finding_of(unmet, layer.name));
    }
  }
}

}  // namespace

Exit run(const HealthRequest& request, const CommonOptions& common, Host& host) {
  ChangeOptions change;
  change.patience.verify = request.wait_timeout;
  auto input = read_profile_input(common, {request.nodes, change, {}}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  const auto target = find_target(common, *input, host);
  if (!target) return finish(target.error(), host.terminal);
  auto space = open_workspace(*input, target->workspace_options(), host);
  if (!space) return finish(std::move(space).error(), host.terminal);
  RunResult result = run_engine(input->profile, *space, {{"ready"}, false}, host);
  const bool nodes_up = result.exit == Exit::done || result.exit == Exit::cni_pending;
  if (nodes_up) judge_layers(request, *input, *target, result, host);
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

}  // namespace ichor
