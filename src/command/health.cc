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
void judge_layers(const HealthRequest& request, const ProfileInput& input, const Ground& ground,
                  RunResult& result, Desk& desk) {
  // Without a CNI no layer above it can come up: one look shows how far they are.
  const bool wanted = input.profile.kubernetes && input.profile.kubernetes->phases &&
                      result.exit != Exit::cni_pending;
  // What the nodes took is taken from the time that there is.
  const Duration left = std::max<Duration>(input.profile.budgets.verify - result.elapsed, kLeast);
  const auto view =
      look_at_kubernetes(request.kubeconfig, input, ground, wanted ? left : Duration::zero(), desk);
  if (!view) return;
  show_layers(*view, desk);
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

Exit run(const HealthRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  if (request.wait_timeout) input->profile.budgets.verify = *request.wait_timeout;
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  auto space = open_workspace(*input, ground->workspace_options(), desk);
  if (!space) return finish(std::move(space).error(), desk);
  RunResult result = run_engine(input->profile, *space, {{"ready"}, false}, desk);
  const bool nodes_up = result.exit == Exit::done || result.exit == Exit::cni_pending;
  if (nodes_up) judge_layers(request, *input, *ground, result, desk);
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
