#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command/commands.h"
#include "port/test_host.h"
#include "profile/profile_file.h"
#include "profile/profile_layout.h"
#include "secrets/age.h"
#include "secrets/secrets_bundle.h"

namespace ichor {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kProfile = R"(name: infra
network:
  api_endpoint: https://192.168.22.101:6443
  node_cidr: 192.168.20.0/22
  gateway: 192.168.23.254
  pod_cidr: 10.42.0.0/16
  service_cidr: 10.43.0.0/16
talos:
  version: v1.12.6
  kubernetes_version: v1.35.2
  config_dir: talos/infra
  secrets_file: secrets.yaml
  patches_dir: patches
nodes:
  controlplane:
    assignments:
      - {name: cp1, ip: 192.168.22.101, mac: "52:54:00:16:01:01", interface: eth0, disk: /dev/sda}
)";

constexpr const char* kTalconfig = R"(clusterName: infra
talosVersion: v1.12.6
kubernetesVersion: v1.35.2
endpoint: https://192.168.22.101:6443
nodes:
  - {hostname: cp1, ipAddress: 192.168.22.101, controlPlane: true, installDisk: /dev/sda}
)";

std::string a_bundle() {
  static const std::string text(
      pki::write_secrets(pki::throw_away_secrets(WallTime(), {1, 12, 0})).reveal());
  return text;
}

class ProfileLayout : public ::testing::Test {
 protected:
  ProfileLayout() {
    host_.inputs["ichor.yaml"] = kProfile;
    host_.machines.macs["192.168.22.101"] = "52:54:00:16:01:01";
  }

  int type(std::vector<std::string> words) {
    const CommandLine line = parse_command_line(words);
    return static_cast<int>(run_command(std::get<Invocation>(line), host_));
  }

  ProfileReading read(const std::string& path = "ichor.yaml") {
    SecretWords words;
    auto reading = read_profile_file(path, words, host_);
    EXPECT_TRUE(reading.has_value());
    return *std::move(reading);
  }

  std::string shown() {
    std::string text = host_.display().summary().result.verdict;
    for (const Finding& finding : host_.display().summary().result.findings) {
      text += "\n" + finding.id + " " + finding.where + " " + finding.what + " " + finding.fix;
    }
    return text;
  }

  FakeHost host_;
};

TEST_F(ProfileLayout, SecretsAndPatchesAreFoundInConfigDir) {
  host_.inputs["talos/infra/patches/cp1.yaml"] = "machine: {nodeLabels: {a: b}}\n";
  const ProfileReading reading = read();
  EXPECT_TRUE(reading.ok());
  EXPECT_EQ(reading.profile.talos.patches_dir, "talos/infra/patches");
  EXPECT_EQ(reading.profile.talos.secrets_file, "talos/infra/secrets.yaml");
}

TEST_F(ProfileLayout, WhatLiesBesideTheProfileIsFoundThere) {
  host_.inputs["patches/cp1.yaml"] = "machine: {nodeLabels: {a: b}}\n";
  host_.inputs["secrets.yaml"] = a_bundle();
  const ProfileReading reading = read();
  EXPECT_TRUE(reading.ok());
  EXPECT_EQ(reading.profile.talos.patches_dir, "patches");
  EXPECT_EQ(reading.profile.talos.secrets_file, "secrets.yaml");
}

TEST_F(ProfileLayout, APathThatExistsTwiceIsNamedTwiceAndStops) {
  host_.inputs["patches/cp1.yaml"] = "machine: {}\n";
  host_.inputs["talos/infra/patches/cp1.yaml"] = "machine: {}\n";
  EXPECT_EQ(type({"lint"}), 3);
  EXPECT_THAT(shown(), HasSubstr("profile.ambiguous ichor.yaml:13:"));
  EXPECT_THAT(shown(), HasSubstr("can mean patches or talos/infra/patches"));
}

TEST_F(ProfileLayout, ReadyMadeConfigsInConfigDirAreExplained) {
  host_.inputs["talos/infra/patches/cp1.yaml"] = "machine: {nodeLabels: {a: b}}\n";
  host_.inputs["talos/infra/infra-cp1.yaml"] = "machine: {type: controlplane}\n";
  EXPECT_EQ(type({"lint"}), 3);
  EXPECT_THAT(shown(), HasSubstr("profile.config-dir"));
  EXPECT_THAT(shown(), HasSubstr("ready_configs: talos/infra"));
}

TEST_F(ProfileLayout, WhatIchorWroteThereIsItsOwn) {
  host_.inputs["talos/infra/patches/cp1.yaml"] = "machine: {nodeLabels: {a: b}}\n";
  host_.inputs["talos/infra/infra-cp1.yaml"] = std::string(kGeneratedMark) + "machine: {}\n";
  EXPECT_EQ(type({"lint"}), 0) << shown();
}

TEST_F(ProfileLayout, ANamedSecretsFileIsMadeOnTheFirstRun) {
  host_.inputs["talos/infra/patches/cp1.yaml"] = "machine: {nodeLabels: {a: b}}\n";
  type({"apply"});
  ASSERT_TRUE(host_.exported.contains("talos/infra/secrets.yaml")) << shown();
  EXPECT_FALSE(host_.state_files.contains("secrets.yaml"));
  const auto bundle = pki::read_secrets(host_.exported["talos/infra/secrets.yaml"], "secrets.yaml");
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_THAT(host_.exported["talos/infra/infra-cp1.yaml"], HasSubstr(bundle->cluster_id));
  EXPECT_THAT(host_.exported["talos/infra/infra-cp1.yaml"], HasSubstr("a: b"));
  EXPECT_THAT(host_.exported["talos/infra/talosconfig"], HasSubstr("192.168.22.101"));
}

TEST_F(ProfileLayout, TalsecretBesideATalconfigIsUsed) {
  const std::string text = a_bundle();
  host_.inputs["talconfig.yaml"] = kTalconfig;
  host_.inputs["talsecret.yaml"] = text;
  type({"apply", "-p", "talconfig.yaml"});
  const auto bundle = pki::read_secrets(text, "talsecret.yaml");
  ASSERT_TRUE(bundle);
  EXPECT_EQ(host_.reached.ca_pem, bundle->os.certificate);
  EXPECT_FALSE(host_.state_files.contains("secrets.yaml")) << "no second CA is made";
}

TEST_F(ProfileLayout, TwoTalsecretsStop) {
  host_.inputs["talconfig.yaml"] = kTalconfig;
  host_.inputs["talsecret.yaml"] = a_bundle();
  host_.inputs["talsecret.sops.yaml"] = a_bundle();
  EXPECT_EQ(type({"lint", "-p", "talconfig.yaml"}), 3);
  EXPECT_THAT(shown(), HasSubstr("talsecret.yaml or talsecret.sops.yaml"));
}

TEST_F(ProfileLayout, PatchesOfClusterTemplateAreReadWithTheUsersOwnKeys) {
  host_.inputs["cluster.yaml"] =
      "node_cidr: 192.168.20.0/22\ncluster_api_addr: 192.168.22.100\n"
      "node_default_gateway: 192.168.23.254\nloki_enabled: true\nproxmox_vlan_mode: access\n";
  host_.inputs["nodes.yaml"] =
      "nodes:\n  - {name: cp1, address: 192.168.22.101, controller: true, disk: /dev/sda, "
      "mac_addr: '52:54:00:16:01:01'}\n";
  host_.inputs["talos/talenv.yaml"] = "talosVersion: v1.12.6\nkubernetesVersion: v1.35.2\n";
  host_.inputs["talos/patches/global/machine-logging.yaml.j2"] =
      "#% if loki_enabled %#\nmachine: {nodeLabels: {mode: '#{ proxmox_vlan_mode }#'}}\n"
      "#% endif %#\n";
  host_.inputs["talos/patches/controller/cluster.yaml"] =
      "cluster: {apiServer: {extraArgs: {enable-aggregator-routing: 'true'}}}\n";
  host_.inputs["talos/patches/cp1/own.yaml"] = "machine: {nodeLabels: {own: cp1}}\n";
  host_.inputs["bundle.yaml"] = a_bundle();
  ASSERT_EQ(type({"gen", "config", "--from", "cluster.yaml", "--with-secrets", "bundle.yaml",
                  "--output-dir", "out"}),
            0)
      << shown();
  const std::string& config = host_.exported["out/kubernetes-cp1.yaml"];
  EXPECT_THAT(config, HasSubstr("mode: access"));
  EXPECT_THAT(config, HasSubstr("enable-aggregator-routing"));
  EXPECT_THAT(config, HasSubstr("own: cp1"));
}

TEST_F(ProfileLayout, SecretsUnderASopsNameAreEncryptedOrNotWritten) {
  EXPECT_NE(type({"gen", "secrets", "-o", "talsecret.sops.yaml"}), 0);
  EXPECT_THAT(host_.exported, IsEmpty());
  EXPECT_THAT(shown(), HasSubstr("talsecret.sops.yaml"));
  FakeHost other;
  const age::Identity key = age::Identity::generate();
  other.variables["SOPS_AGE_RECIPIENTS"] = key.recipient().text();
  const CommandLine line = parse_command_line({"gen", "secrets", "-o", "talsecret.sops.yaml"});
  EXPECT_EQ(static_cast<int>(run_command(std::get<Invocation>(line), other)), 0);
  EXPECT_THAT(other.exported["talsecret.sops.yaml"], HasSubstr("ENC[AES256_GCM"));
}

TEST_F(ProfileLayout, NoKeysAreMadeForSecretsThatAlreadyExist) {
  host_.inputs["secrets.yaml"] = "theirs";
  EXPECT_EQ(type({"gen", "secrets", "-o", "secrets.yaml"}), 1);
  EXPECT_THAT(host_.display().summary().result.verdict, HasSubstr("--force replaces it"));
  EXPECT_EQ(host_.rsa_keys_made, 0);
}

TEST_F(ProfileLayout, SecretsAreNotWrittenWhereGitWouldSeeThem) {
  host_.seen_by_git.insert("secrets.yaml");
  EXPECT_EQ(type({"gen", "secrets", "-o", "secrets.yaml"}), 5);
  EXPECT_THAT(host_.exported, IsEmpty());
}

}  // namespace
}  // namespace ichor
