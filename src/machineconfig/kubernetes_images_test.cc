#include "machineconfig/kubernetes_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr std::string_view kOld = R"(version: v1alpha1
machine:
  type: controlplane
  kubelet:
    image: ghcr.io/siderolabs/kubelet:v1.35.2
    extraArgs: {feature-gates: "ImageVolume=true,AppArmor=false", cloud-config: x}
cluster:
  apiServer:
    image: registry.k8s.io/kube-apiserver:v1.35.2
  controllerManager: {image: "registry.k8s.io/kube-controller-manager:v1.35.2"}
  proxy: {image: "registry.k8s.io/kube-proxy:v1.35.2", disabled: true}
)";

constexpr std::string_view kTyped = R"(version: v1alpha1
machine: {type: controlplane}
---
apiVersion: v1alpha1
kind: KubeAPIServerConfig
image: registry.k8s.io/kube-apiserver:v1.36.3
extraArgs: {feature-gates: [A=true, B=false]}
---
apiVersion: v1alpha1
kind: KubeletConfig
image: ghcr.io/siderolabs/kubelet:v1.36.3
config: {featureGates: {C: true}}
---
apiVersion: v1alpha1
kind: KubeProxyConfig
image: registry.k8s.io/kube-proxy:v1.36.3
enabled: false
)";

SecretString secret(std::string_view text) { return SecretString(std::string(text)); }

TEST(KubernetesImages, AreReadFromTheOldFormAndFromDocuments) {
  const auto old = read_kubernetes(secret(kOld));
  ASSERT_TRUE(old);
  EXPECT_THAT(old->images,
              Contains(Pair(KubeComponent::api_server, "registry.k8s.io/kube-apiserver:v1.35.2")));
  EXPECT_FALSE(old->images.contains(KubeComponent::scheduler)) << "the config does not name it";
  EXPECT_TRUE(old->proxy_disabled);
  EXPECT_THAT(old->gates.at(KubeComponent::kubelet), ElementsAre("ImageVolume", "AppArmor"));
  EXPECT_THAT(old->flags.at(KubeComponent::kubelet), Contains("cloud-config"));

  const auto typed = read_kubernetes(secret(kTyped));
  ASSERT_TRUE(typed);
  EXPECT_THAT(typed->images,
              Contains(Pair(KubeComponent::kubelet, "ghcr.io/siderolabs/kubelet:v1.36.3")));
  EXPECT_TRUE(typed->proxy_disabled);
  EXPECT_THAT(typed->gates.at(KubeComponent::api_server), ElementsAre("A", "B"));
  EXPECT_THAT(typed->gates.at(KubeComponent::kubelet), ElementsAre("C"));
}

TEST(KubernetesImages, ChangeInTheirPlacesAndNowhereElse) {
  for (const std::string_view text : {kOld, kTyped}) {
    const KubeImages wanted{{KubeComponent::api_server, "mirror.example/kube-apiserver:v1.36.4"},
                            {KubeComponent::scheduler, "mirror.example/kube-scheduler:v1.36.4"}};
    const auto changed = with_images(secret(text), wanted, Role::control_plane);
    ASSERT_TRUE(changed);
    const auto before = read_kubernetes(secret(text));
    const auto after = read_kubernetes(changed->bytes);
    EXPECT_EQ(after->images.at(KubeComponent::api_server), "mirror.example/kube-apiserver:v1.36.4");
    EXPECT_FALSE(after->images.contains(KubeComponent::scheduler)) << "no place is made";
    EXPECT_EQ(after->images.at(KubeComponent::kubelet), before->images.at(KubeComponent::kubelet));
    const auto back = with_images(changed->bytes, before->images, Role::control_plane);
    const auto same = with_images(secret(text), {}, Role::control_plane);
    EXPECT_EQ(back->canonical, same->canonical) << "nothing but the image was changed";
  }
}

TEST(KubernetesImages, WhatIsNoConfigIsAnError) {
  EXPECT_FALSE(read_kubernetes(secret("a: [")));
  EXPECT_FALSE(with_images(secret("a: ["), {}, Role::worker));
}

TEST(KubernetesImages, HaveTags) {
  EXPECT_EQ(tag_of_image("registry.k8s.io/kube-proxy:v1.36.3@sha256:00"), "v1.36.3");
  EXPECT_EQ(tag_of_image("localhost:5000/kube-proxy"), "");
  EXPECT_EQ(tag_of_image(""), "");
}

}  // namespace
}  // namespace ichor
