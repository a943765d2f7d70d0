#include "profile/role_project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ichor {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTemplate = R"(machine:
  type: {{ role }}
  token: {{ secrets.trustdinfo.token }}
  install:
    disk: /dev/sda
    image: factory.talos.dev/installer/{{ ENV.SCHEMATIC }}:v1.12.6
  kubelet: {image: "ghcr.io/siderolabs/kubelet:v1.35.2"}
cluster:
  id: "{{ secrets.cluster.id }}"
  clusterName: {{ cluster_name }}
  controlPlane: {endpoint: "https://{{ vip }}:6443"}
  network: {podSubnets: [10.42.0.0/16], serviceSubnets: [10.43.0.0/16], cni: {name: none}}
)";

/// talos/infra with a template beside it.
class RoleProject : public ::testing::Test {
 protected:
  RoleProject() {
    files_["../machineconfig-multicluster.yaml.j2"] = kTemplate;
    files_["variables.yaml"] = "vip: 192.168.22.100\n";
    add("controlplane/cp1.yaml", 101);
    add("controlplane/cp2.yaml", 102);
    add("worker/w1.yaml", 111);
  }

  void add(const std::string& path, int last) {
    files_[path] =
        "machine:\n  network:\n    interfaces:\n      - {interface: lo, addresses: "
        "[169.254.116.108/32]}\n      - {interface: eth0, addresses: [192.168.22." +
        std::to_string(last) + "/22]}\n";
  }

  ProfileReading read() {
    ReaderInputs around;
    around.variable = [](const std::string& name) {
      return name == "SCHEMATIC" ? std::optional<std::string>("abc") : std::nullopt;
    };
    around.file = [this](const std::string& name) -> Result<std::optional<std::string>> {
      const auto found = files_.find(name);
      if (found == files_.end()) return std::optional<std::string>();
      return std::optional<std::string>(found->second);
    };
    std::vector<std::string> names;
    for (const auto& [name, text] : files_) names.push_back(name);
    return read_role_project("talos/infra", names, around);
  }

  std::map<std::string, std::string> files_;
};

TEST_F(RoleProject, IsAProfileOfItsOwn) {
  const ProfileReading reading = read();
  ASSERT_TRUE(reading.ok()) << reading.findings.front().what;
  const ClusterProfile& profile = reading.profile;
  EXPECT_EQ(profile.name, "infra");
  EXPECT_EQ(profile.network.api_endpoint, "https://192.168.22.100:6443");
  EXPECT_EQ(profile.network.node_cidr, "192.168.20.0/22");
  EXPECT_EQ(profile.talos.version, (TalosVersion{1, 12, 6}));
  EXPECT_EQ(profile.talos.kubernetes_version, "v1.35.2");
  EXPECT_TRUE(profile.talos.cni_none);
  EXPECT_EQ(profile.worker_order, WorkerOrder::after_api);
  ASSERT_EQ(profile.nodes.size(), 3u);
  EXPECT_EQ(profile.nodes[0].address.value(), "192.168.22.101");
  EXPECT_EQ(profile.nodes[0].interface, "eth0");
  EXPECT_EQ(profile.nodes[2].role, Role::worker);
  EXPECT_EQ(reading.recipe->nodes[2].file_name, "infra-w1.yaml");
}

constexpr const char* kTyped = R"(version: v1alpha1
machine:
  type: {{ role }}
---
apiVersion: v1alpha1
kind: UnattendedInstallConfig
installer: {image: "factory.talos.dev/metal-installer/{{ ENV.SCHEMATIC }}:v1.14.1"}
provisioning: {diskSelector: {match: 'disk.dev_path == "/dev/vda"'}}
---
apiVersion: v1alpha1
kind: KubeClusterConfig
clusterName: infra
endpoint: https://{{ vip }}:6443
---
apiVersion: v1alpha1
kind: KubeNodeConfig
---
apiVersion: v1alpha1
kind: KubeletConfig
image: ghcr.io/siderolabs/kubelet:v1.36.3
---
apiVersion: v1alpha1
kind: KubeNetworkConfig
podSubnets: [10.42.0.0/16]
serviceSubnets: [10.43.0.0/16]
---
apiVersion: v1alpha1
kind: LinkAliasConfig
name: net0
selector: {match: 'mac(link.permanent_addr) == "52:54:00:aa:bb:01"'}
)";

TEST_F(RoleProject, LearnsTheSameFromTypedDocuments) {
  files_["../machineconfig-multicluster.yaml.j2"] = kTyped;
  const ProfileReading reading = read();
  ASSERT_TRUE(reading.ok()) << reading.findings.front().what;
  const ClusterProfile& profile = reading.profile;
  EXPECT_EQ(profile.network.api_endpoint, "https://192.168.22.100:6443");
  EXPECT_EQ(profile.network.pod_cidr, "10.42.0.0/16");
  EXPECT_EQ(profile.network.service_cidr, "10.43.0.0/16");
  EXPECT_EQ(profile.talos.version, (TalosVersion{1, 14, 1}));
  EXPECT_EQ(profile.talos.contract, (TalosVersion{1, 14, 0}));
  EXPECT_EQ(profile.talos.kubernetes_version, "v1.36.3");
  EXPECT_TRUE(profile.talos.cni_none);
  EXPECT_TRUE(profile.talos.allow_scheduling_on_control_planes);
  EXPECT_EQ(profile.nodes[0].disk, "/dev/vda");
  EXPECT_EQ(profile.nodes[0].mac.value(), "52:54:00:aa:bb:01");
  files_["../machineconfig-multicluster.yaml.j2"] =
      std::string(kTyped) + "---\napiVersion: v1alpha1\nkind: KubeFlannelCNIConfig\n";
  EXPECT_FALSE(read().profile.talos.cni_none);
}

TEST_F(RoleProject, RendersTheTemplateForEachNodeWithTheSecrets) {
  const ProfileReading reading = read();
  ASSERT_TRUE(reading.ok());
  pki::SecretsBundle secrets;
  secrets.cluster_id = "own-id";
  const auto text =
      render_base(*reading.recipe->base, "infra", NodeName("w1"), Role::worker, secrets);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("type: worker"));
  EXPECT_THAT(*text, HasSubstr("id: \"own-id\""));
  EXPECT_THAT(*text, HasSubstr("installer/abc:v1.12.6"));
}

TEST_F(RoleProject, TakesNoFileOfTheWholeClusterForANode) {
  files_["secrets.yaml"] = "cluster: {}\n";
  files_["secrets.sops.yaml"] = "cluster: {}\n";
  files_["worker/w2.sops.yaml"] = files_["worker/w1.yaml"];
  const ProfileReading reading = read();
  ASSERT_TRUE(reading.ok()) << reading.findings.front().what;
  ASSERT_EQ(reading.profile.nodes.size(), 4u);
  EXPECT_EQ(reading.profile.nodes[3].name.value(), "w2");
}

TEST_F(RoleProject, MayNameEverySecret) {
  files_["../machineconfig-multicluster.yaml.j2"] +=
      "  secretboxEncryptionSecret: {{ secrets.secrets.secretboxencryptionsecret }}\n"
      "  aescbcEncryptionSecret: {{ secrets.secrets.aescbcencryptionsecret }}\n";
  const ProfileReading reading = read();
  EXPECT_TRUE(reading.ok()) << reading.findings.front().what;
}

TEST_F(RoleProject, TheTemplateMayExtendAndIncludeOthersBesideIt) {
  files_["../base.yaml.j2"] =
      std::string(kTemplate) + "  secret: {% block secret %}{% endblock %}\n";
  files_["../parts/token.j2"] = "{{ secrets.cluster.secret }} {{ ENV.SCHEMATIC }}";
  files_["../machineconfig-multicluster.yaml.j2"] =
      "{% extends 'base.yaml.j2' %}"
      "{% block secret %}{% include 'parts/token.j2' %}{% endblock %}";
  const ProfileReading reading = read();
  ASSERT_TRUE(reading.ok()) << reading.findings.front().what;
  pki::SecretsBundle secrets;
  secrets.cluster_secret = SecretString("own-secret");
  const auto text =
      render_base(*reading.recipe->base, "infra", NodeName("w1"), Role::worker, secrets);
  ASSERT_TRUE(text.has_value()) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("secret: own-secret abc"));
  files_.erase("../parts/token.j2");
  EXPECT_THAT(read().findings.back().what, HasSubstr("'parts/token.j2'"));
}

TEST_F(RoleProject, WithoutATemplateIsRefused) {
  files_.erase("../machineconfig-multicluster.yaml.j2");
  const ProfileReading reading = read();
  ASSERT_FALSE(reading.ok());
  EXPECT_THAT(reading.findings.back().what, HasSubstr("no template"));
}

TEST_F(RoleProject, WithAnUndefinedVariableSaysWhich) {
  files_["../machineconfig-multicluster.yaml.j2"] = "machine: {type: {{ rolle }}}\n";
  const ProfileReading reading = read();
  ASSERT_FALSE(reading.ok());
  EXPECT_THAT(reading.findings.back().what, HasSubstr("rolle"));
}

}  // namespace
}  // namespace ichor
