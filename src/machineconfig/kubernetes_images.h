#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "model/config_set.h"

namespace ichor {

/// What of Kubernetes Talos runs by a machine config, in the order in which it is upgraded: the
/// static pods of a control plane, then the others.
enum class KubeComponent { api_server, controller_manager, scheduler, proxy, kubelet };
inline constexpr std::array<KubeComponent, 5> kKubeComponents = {
    KubeComponent::api_server, KubeComponent::controller_manager, KubeComponent::scheduler,
    KubeComponent::proxy, KubeComponent::kubelet};

/// "kube-apiserver", as its pods are called.
std::string_view name_of(KubeComponent component);

using KubeImages = std::map<KubeComponent, std::string>;

/// What a machine config says of Kubernetes, in v1alpha1 or in the documents of 1.14.
struct KubernetesSettings {
  KubeImages images;  // without those that it does not name
  /// By component: the names of its extraArgs, and of the feature gates that it sets.
  std::map<KubeComponent, std::vector<std::string>> flags, gates;
  bool proxy_disabled{false};
};

/// Errc::invalid for a text that is no machine config.
Result<KubernetesSettings> read_kubernetes(const SecretString& config);

/// The same config with these images in the places of others. A place that the config does not have
/// is not made.
Result<MachineConfig> with_images(const SecretString& config, const KubeImages& images, Role role);

/// "v1.36.3" of "registry.k8s.io/kube-proxy:v1.36.3@sha256:…"; empty: it has no tag.
std::string tag_of_image(std::string_view image);

}  // namespace ichor
