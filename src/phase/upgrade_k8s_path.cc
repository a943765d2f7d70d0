#include "phase/upgrade_k8s_path.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/talos_release.h"
#include "phase/removed_in_kubernetes.h"
#include "profile/formats.h"

namespace ichor {

namespace {

/// kubelets may be this many minor releases behind their API server.
constexpr int kKubeletSkew = 3;

Finding refusal(const char* id, const NodeName& node, std::string what, std::string fix) {
  return {Severity::error, id, node, "check", std::move(what), std::move(fix)};
}

std::string minor_text(const TalosVersion& version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

/// The newest patch release of a minor that is known, or its name with an x.
std::string release_of(int minor) {
  for (const TalosRelease& release : kTalosReleases) {
    const auto known = kubernetes_version_in(release.kubernetes_version);
    if (known && known->minor == minor) return to_text(*known);
  }
  return fmt::format("v1.{}.x", minor);
}

/// Whether a release that is upgraded to has dropped what is gone since `minor`. What was dropped
/// long before does not run today either.
bool is_gone(int minor, const TalosVersion& target) { return minor <= target.minor; }

std::optional<Finding> skew_trouble(const KubernetesUpgrade& upgrade, const NodePlan& plan,
                                    KubeComponent component, const TalosVersion& runs) {
  const TalosVersion& to = upgrade.target;
  const std::string name =
      fmt::format("{} on {} runs {}", name_of(component), plan.name.value(), to_text(runs));
  if (to.major != runs.major) {
    return refusal("U9", plan.name,
                   fmt::format("{}, and {} is another major release", name, to_text(to)),
                   "name a release of the same major version");
  }
  const bool older_patch = to < runs && to.minor == runs.minor;
  if (older_patch && upgrade.target_given) return std::nullopt;
  if (to < runs) {
    return refusal(
        "U9", plan.name, fmt::format("{}, and {} is older", name, to_text(to)),
        older_patch
            ? fmt::format("if the older version is meant: `ichor upgrade-k8s --to {}`", to_text(to))
            : "Kubernetes does not go back to an older minor release");
  }
  const int behind = to.minor - runs.minor;
  if (component == KubeComponent::kubelet) {
    if (behind <= kKubeletSkew) return std::nullopt;
    return refusal(
        "U9", plan.name,
        fmt::format("{}: a kubelet may be at most {} minor releases behind its API "
                    "server",
                    name, kKubeletSkew),
        fmt::format("`ichor upgrade-k8s --to {}` first", release_of(runs.minor + kKubeletSkew)));
  }
  if (behind <= 1) return std::nullopt;
  return refusal("U9", plan.name,
                 fmt::format("{}, and {} is more than one minor release ahead", name, to_text(to)),
                 fmt::format("`ichor upgrade-k8s --to {}` first", release_of(runs.minor + 1)));
}

Finding dropped(const NodeName& node, KubeComponent component, const TalosVersion& target,
                std::string_view what, std::string_view name) {
  return refusal(
      "U10", node,
      fmt::format("the config of {} gives {} the {} {}, which Kubernetes {} does not "
                  "have: it would not start",
                  node.value(), name_of(component), what, name, minor_text(target)),
      fmt::format("remove {} from the patches of {} and apply that with `ichor up` while "
                  "kubernetes_version is still the old one, then upgrade",
                  name, node.value()));
}

}  // namespace

std::optional<TalosVersion> kubernetes_version_in(std::string_view text) {
  const std::string tag = text.find(':') == text.npos ? std::string(text) : tag_of_image(text);
  return parse_version(tag);
}

std::optional<TalosVersion> running_version(const NodeView& node, KubeComponent component) {
  if (!node.kube) return std::nullopt;
  if (component == KubeComponent::kubelet) {
    return kubernetes_version_in(node.kube->kubelet_version);
  }
  const auto pod = node.kube->components.find(std::string(name_of(component)));
  if (pod == node.kube->components.end()) return std::nullopt;
  return kubernetes_version_in(pod->second.image);
}

bool is_ready(const NodeView& node, KubeComponent component) {
  if (!node.kube) return false;
  if (component == KubeComponent::kubelet) return node.kube->ready;
  const auto pod = node.kube->components.find(std::string(name_of(component)));
  return pod != node.kube->components.end() && pod->second.ready;
}

std::optional<Finding> kubernetes_path_trouble(const KubernetesUpgrade& upgrade,
                                               const NodePlan& plan, const NodeView& node) {
  const TalosVersion& to = upgrade.target;
  const TalosRelease* release = find_release(*node.version);
  if (!release) {
    return refusal("U9", plan.name,
                   fmt::format("{} runs Talos {}, which ichor does not know", plan.name.value(),
                               to_text(*node.version)),
                   "use an ichor that knows this release");
  }
  if (to.minor > release->newest_kubernetes || to.minor < release->oldest_kubernetes) {
    const bool newer = to.minor > release->newest_kubernetes;
    const TalosRelease* next =
        find_release({release->version.major, release->version.minor + 1, 0});
    return refusal(
        "U9", plan.name,
        fmt::format("{} runs Talos {}, which runs Kubernetes 1.{} to 1.{}, not {}",
                    plan.name.value(), to_text(*node.version), release->oldest_kubernetes,
                    release->newest_kubernetes, to_text(to)),
        newer && next
            ? fmt::format("upgrade Talos first: `ichor upgrade --to {}`", to_text(next->version))
            : fmt::format("name a release from 1.{} to 1.{}", release->oldest_kubernetes,
                          release->newest_kubernetes));
  }
  for (const KubeComponent component : kKubeComponents) {
    if (component == KubeComponent::proxy) continue;
    const auto runs = running_version(node, component);
    if (!runs) continue;
    if (auto trouble = skew_trouble(upgrade, plan, component, *runs)) return trouble;
  }
  return std::nullopt;
}

std::vector<Finding> removed_settings(const TalosVersion& target, const NodeName& node,
                                      const KubernetesSettings& settings) {
  std::vector<Finding> found;
  const auto names = [](const auto& lists, KubeComponent component, std::string_view name) {
    const auto list = lists.find(component);
    return list != lists.end() &&
           std::find(list->second.begin(), list->second.end(), name) != list->second.end();
  };
  for (const RemovedFlag& flag : removed_flags()) {
    const bool used =
        is_gone(flag.minor, target) && names(settings.flags, flag.component, flag.flag);
    if (used) found.push_back(dropped(node, flag.component, target, "flag", flag.flag));
  }
  for (const RemovedGate& gate : removed_gates()) {
    for (const KubeComponent component : kKubeComponents) {
      const bool used = is_gone(gate.minor, target) && names(settings.gates, component, gate.gate);
      if (used) found.push_back(dropped(node, component, target, "feature gate", gate.gate));
    }
  }
  return found;
}

std::vector<Finding> removed_api_uses(const TalosVersion& target, const NodeView& any,
                                      const std::vector<RemovedApiUse>& uses) {
  std::vector<Finding> found;
  const auto runs = running_version(any, KubeComponent::api_server);
  for (const RemovedApiUse& use : uses) {
    const bool goes = is_gone(use.removed_in, target) && runs && use.removed_in > runs->minor;
    if (!goes) continue;
    found.push_back(refusal(
        "U10", {},
        fmt::format("Kubernetes 1.{} does not serve {}: {} exists{}{}", use.removed_in, use.api,
                    use.object, use.by.empty() ? "" : ", last written with it by ", use.by),
        "change that client or its manifests to an API version that stays, or delete the object; "
        "then upgrade"));
  }
  return found;
}

}  // namespace ichor
