#include "phase/kubernetes/tree_check.h"

#include <fmt/format.h>

namespace ichor {

namespace {

constexpr Duration kBuildLimit = std::chrono::minutes(2);

ProcessCall build_call(const ToolPlace& place) {
  ProcessCall call =
      tool_call(place, "kustomize", {"build", place.material.plan.flux.kustomize_root});
  call.limit = kBuildLimit;
  return call;
}

ProcessCall check_call(const ToolPlace& place, const std::string& version, SecretString manifests) {
  std::vector<std::string> words{"-strict", "-ignore-missing-schemas", "-summary"};
  for (const std::string& schema : place.material.plan.flux.kubeconform_schemas) {
    words.insert(words.end(), {"-schema-location", schema});
  }
  if (!version.empty()) {
    words.insert(words.end(),
                 {"-kubernetes-version", version.starts_with('v') ? version.substr(1) : version});
  }
  words.emplace_back("-");
  ProcessCall call = tool_call(place, "kubeconform", std::move(words));
  call.limit = kBuildLimit;
  call.input = std::move(manifests);
  call.folder = place.material.plan.root;  // schemas may be named from there
  return call;
}

}  // namespace

Task<std::string> check_tree(Context context, ToolPlace place, std::string kubernetes_version) {
  auto built = co_await tool_output(context, place.processes, build_call(place));
  if (!built) co_return built.error().message;
  ProcessCall call = check_call(place, kubernetes_version, *std::move(built));
  const auto checked = co_await place.processes.run(context, std::move(call));
  if (!checked) co_return checked.error().message;
  if (checked->exit == 0) co_return std::string();
  co_return fmt::format("kubeconform: {}{}", checked->output.reveal().substr(0, 800),
                        checked->errors.substr(0, 400));
}

}  // namespace ichor
