#include "command/gen_config_from.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/commands.h"
#include "port/test_host.h"
#include "secrets/secrets_bundle.h"
#include "secrets/sops.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kProfile = R"(name: infra
network:
  api_endpoint: https://192.168.22.100:6443
  node_cidr: 192.168.20.0/22
  gateway: 192.168.23.254
  pod_cidr: 10.42.0.0/16
  service_cidr: 10.43.0.0/16
talos:
  version: v1.12.6
  kubernetes_version: v1.35.2
  vip: {ip: 192.168.22.100, interface: eth0}
  patches_dir: patches
nodes:
  controlplane:
    assignments:
      - {name: cp1, ip: 192.168.22.101, interface: eth0, disk: /dev/sda}
)";

constexpr const char* kTalconfig = R"(clusterName: home
talosVersion: v1.12.6
kubernetesVersion: v1.35.2
endpoint: https://192.168.22.100:6443
patches: ["@sealed.sops.yaml"]
nodes:
  - {hostname: cp1, ipAddress: 192.168.22.101, controlPlane: true, installDisk: /dev/sda}
  - {hostname: w1, ipAddress: 192.168.22.111, controlPlane: false, installDisk: /dev/sda}
)";

const pki::SecretsBundle& bundle() {
  static const pki::SecretsBundle made = pki::throw_away_secrets(WallTime(), {1, 12, 0});
  return made;
}

class GenConfigFrom : public ::testing::Test {
 protected:
  GenConfigFrom() {
    host_.inputs["secrets.yaml"] = std::string(pki::write_secrets(bundle()).reveal());
    host_.inputs["ichor.yaml"] = kProfile;
    host_.variables["SOPS_AGE_KEY"] = std::string(key_.text().reveal());
  }

  std::string sealed(const std::string& text) {
    sops::EncryptOptions options;
    options.recipients = {key_.recipient()};
    return *sops::encrypt(text, "patch.yaml", options);
  }

  Exit generate(const std::string& from) {
    GenConfigRequest request;
    request.from = from;
    request.with_secrets = "secrets.yaml";
    request.output = "out";
    return gen_config_from(request, CommonOptions(), host_);
  }

  std::string shown() {
    std::string text = host_.display().summary().result.verdict;
    for (const Finding& finding : host_.display().summary().result.findings) {
      text += "\n" + finding.where + " " + finding.what + " " + finding.fix;
    }
    return text;
  }

  age::Identity key_{age::Identity::generate()};
  FakeHost host_;
};

TEST_F(GenConfigFrom, RendersThePatchesOfAProfile) {
  host_.inputs["patches/kubelet.yaml.j2"] =
      "machine:\n  kubelet:\n    nodeIP: {validSubnets: ['#{ node_cidr }#']}\n";
  host_.inputs["patches/cp1/label.yaml.j2"] = "machine: {nodeLabels: {is: '{{ node.name }}'}}\n";
  ASSERT_EQ(generate("ichor.yaml"), Exit::done) << shown();
  EXPECT_THAT(host_.exported["out/infra-cp1.yaml"], HasSubstr("192.168.20.0/22"));
  EXPECT_THAT(host_.exported["out/infra-cp1.yaml"], HasSubstr("is: cp1"));
  EXPECT_THAT(host_.exported["out/talosconfig"], HasSubstr("192.168.22.101"));
}

TEST_F(GenConfigFrom, DecryptsThePatchesOfAProfile) {
  host_.inputs["patches/files.yaml"] = sealed("machine: {env: {canary-key: canary-value}}\n");
  ASSERT_EQ(generate("ichor.yaml"), Exit::done) << shown();
  EXPECT_THAT(host_.exported["out/infra-cp1.yaml"], HasSubstr("canary-value"));
}

TEST_F(GenConfigFrom, ShowsNothingOfADecryptedPatchThatIsWrong) {
  host_.inputs["patches/files.yaml"] = sealed("machine: {kubelet: canary-value}\n");
  EXPECT_EQ(generate("ichor.yaml"), Exit::findings);
  EXPECT_THAT(shown(), HasSubstr("patches/files.yaml"));
  EXPECT_THAT(shown(), Not(HasSubstr("canary-value")));
}

TEST_F(GenConfigFrom, RefusesAPatchThatItHasNoKeyFor) {
  host_.inputs["patches/files.yaml"] = sealed("machine: {env: {a: canary-value}}\n");
  host_.variables.clear();
  EXPECT_EQ(generate("ichor.yaml"), Exit::findings);
  EXPECT_TRUE(host_.exported.empty());
  EXPECT_THAT(shown(), HasSubstr("patches/files.yaml"));
}

TEST_F(GenConfigFrom, MakesAFileForEachNodeOfATalconfig) {
  host_.inputs["talos/talconfig.yaml"] = kTalconfig;
  host_.inputs["talos/sealed.sops.yaml"] = sealed("machine: {env: {a: canary-value}}\n");
  ASSERT_EQ(generate("talos/talconfig.yaml"), Exit::done) << shown();
  EXPECT_THAT(host_.exported["out/home-cp1.yaml"], HasSubstr("canary-value"));
  EXPECT_THAT(host_.exported["out/home-w1.yaml"], HasSubstr("type: worker"));
  EXPECT_TRUE(host_.exported.contains("out/talosconfig"));
}

TEST_F(GenConfigFrom, MakesAFileForEachNodeOfARoleFolder) {
  host_.inputs["talos/machineconfig.yaml.j2"] =
      "machine:\n  type: {{ role }}\n  token: '{{ secrets.trustdinfo.token }}'\n"
      "  install: {disk: /dev/sda, image: 'ghcr.io/siderolabs/installer:v1.12.6'}\n"
      "cluster:\n  id: '{{ secrets.cluster.id }}'\n"
      "  controlPlane: {endpoint: 'https://192.168.22.101:6443'}\n";
  host_.inputs["talos/infra/controlplane/cp1.yaml"] =
      "machine:\n  network:\n    interfaces:\n      - interface: eth0\n"
      "        addresses: [192.168.22.101/22]\n";
  ASSERT_EQ(generate("talos/infra"), Exit::done) << shown();
  EXPECT_THAT(host_.exported["out/infra-cp1.yaml"], HasSubstr("id: " + bundle().cluster_id));
  EXPECT_THAT(host_.exported["out/infra-cp1.yaml"], HasSubstr("192.168.22.101/22"));
}

/// The story of a template that had the secrets of one cluster in it and was used for another.
TEST_F(GenConfigFrom, RefusesTheSecretsOfAnotherCluster) {
  host_.inputs["talos/machineconfig.yaml.j2"] =
      "machine:\n  type: {{ role }}\n  install: {image: 'installer:v1.12.6'}\n"
      "cluster:\n  id: canary-of-another-cluster\n";
  host_.inputs["talos/infra/cp1.yaml"] =
      "machine: {network: {interfaces: [{interface: eth0, addresses: [192.168.22.101/22]}]}}\n";
  EXPECT_EQ(generate("talos/infra"), Exit::unsafe);
  EXPECT_THAT(shown(), HasSubstr("cluster.id is that of another cluster"));
  EXPECT_THAT(shown(), Not(HasSubstr("canary")));
  EXPECT_TRUE(host_.exported.empty());
}

}  // namespace
}  // namespace ichor
