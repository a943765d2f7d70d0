#include "machineconfig/migrate/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yaml/document.h"

namespace ichor::migrate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<yaml::Node> documents(std::string_view text) {
  auto parsed = yaml::parse(text, "config");
  EXPECT_TRUE(parsed.has_value());
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *parsed) roots.push_back(std::move(document.root));
  return roots;
}

constexpr std::string_view kOld = R"(machine: {type: controlplane, nodeLabels: {rack: a}}
cluster:
  ca: {crt: Q0E=, key: S0VZ}
  secretboxEncryptionSecret: box
  network: {cni: {name: none}}
)";

constexpr std::string_view kTyped = R"(machine: {type: controlplane}
---
{apiVersion: v1alpha1, kind: KubeNodeConfig, nodeIP: {}, labels: {rack: a,
  node-role.kubernetes.io/control-plane: ""},
  taints: {node-role.kubernetes.io/control-plane: NoSchedule}}
---
{apiVersion: v1alpha1, kind: KubeletConfig, image: "ghcr.io/siderolabs/kubelet:v1.36.1",
  config: {}, defaultRuntimeSeccompProfileEnabled: false}
---
{apiVersion: v1alpha1, kind: KubeNetworkConfig, dnsDomain: cluster.local,
  podSubnets: [10.244.0.0/16], serviceSubnets: [10.96.0.0/12]}
---
{apiVersion: v1alpha1, kind: KubeAPIServerCAConfig, issuingCA: {cert: CA, key: KEY}}
---
{apiVersion: v1alpha1, kind: KubeAuthorizerConfig, name: node, type: Node}
---
{apiVersion: v1alpha1, kind: KubeAuthorizerConfig, name: rbac, type: RBAC}
---
apiVersion: v1alpha1
kind: KubeEtcdEncryptionConfig
config: {resources: [{resources: [secrets],
  providers: [{secretbox: {keys: [{name: key2, secret: box}]}}, {identity: {}}]}]}
---
{apiVersion: v1alpha1, kind: KubeAuthenticationConfig,
  configuration: {anonymous: {enabled: false}, jwt: []}}
---
{apiVersion: v1alpha1, kind: KubeAPIServerConfig, image: "registry.k8s.io/kube-apiserver:v1.36.1",
  startupProbes: false}
---
{apiVersion: v1alpha1, kind: KubeControllerManagerConfig,
  image: "registry.k8s.io/kube-controller-manager:v1.36.1"}
---
{apiVersion: v1alpha1, kind: KubeSchedulerConfig, image: "registry.k8s.io/kube-scheduler:v1.36.1"}
---
{apiVersion: v1alpha1, kind: KubeProxyConfig, image: "registry.k8s.io/kube-proxy:v1.36.1"}
---
{apiVersion: v1alpha1, kind: KubeCoreDNSConfig, enabled: true}
)";

std::vector<std::string> compared(std::string typed, std::string_view what = {},
                                  std::string_view instead = {}) {
  if (!what.empty()) {
    const std::size_t at = typed.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    typed.replace(at, what.size(), instead);
  }
  const SettingsOf of{false, true, "v1.36.1"};
  return differing(settings_of(documents(kOld), of), settings_of(documents(typed), of));
}

TEST(Settings, BothStylesSayTheSame) { EXPECT_THAT(compared(std::string(kTyped)), IsEmpty()); }

TEST(Settings, WhoIsLetInWithoutCredentialsShows) {
  EXPECT_THAT(compared(std::string(kTyped), "{enabled: false}",
                       "{enabled: true, conditions: [{path: /livez}]}"),
              ElementsAre("anonymous requests: another value"));
  EXPECT_THAT(compared(std::string(kTyped), ",\n  startupProbes: false", ""),
              ElementsAre("KubeAPIServerConfig.startupProbes: another value"));
}

TEST(Settings, ALostAuthorizerShows) {
  EXPECT_THAT(compared(std::string(kTyped),
                       "{apiVersion: v1alpha1, kind: KubeAuthorizerConfig, name: rbac, type: RBAC}",
                       "{apiVersion: v1alpha1, kind: KubeCoreDNSConfig, enabled: true}"),
              ElementsAre("authorizer RBAC: only in the old config"));
}

TEST(Settings, AnEtcdKeyUnderAnotherNameShows) {
  EXPECT_THAT(compared(std::string(kTyped), "key2", "key1"),
              ElementsAre("etcd key key2 secretbox: only in the old config",
                          "etcd key key1 secretbox: only in the new config"));
}

TEST(Settings, AControlPlaneWithoutItsTaintShows) {
  EXPECT_THAT(
      compared(std::string(kTyped), "node-role.kubernetes.io/control-plane: NoSchedule", ""),
      ElementsAre("KubeNodeConfig.taints.node-role.kubernetes.io/control-plane: only in the old "
                  "config"));
}

TEST(Settings, AnotherValueShowsWithoutBeingPrinted) {
  EXPECT_THAT(compared(std::string(kTyped), "key: KEY", "key: OTHER"),
              ElementsAre("KubeAPIServerCAConfig.issuingCA.key: another value"));
}

TEST(Settings, APathThatNoTableKnowsKeepsItsName) {
  const SettingsOf patch{true, false, ""};
  EXPECT_THAT(
      differing(settings_of(documents("machine: {logging: {destinations: [{format: x}]}}"), patch),
                settings_of(documents("machine: {}"), patch)),
      ElementsAre("machine.logging.destinations[0].format: only in the old config"));
}

}  // namespace
}  // namespace ichor::migrate
