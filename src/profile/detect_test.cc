#include "profile/detect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace ichor {
namespace {

using testing::HasSubstr;

ReaderInputs with(std::map<std::string, std::string> files) {
  return {
      [](const std::string&) { return std::optional<std::string>(); },
      [files = std::move(files)](const std::string& path) -> Result<std::optional<std::string>> {
        const auto found = files.find(path);
        if (found == files.end()) return std::optional<std::string>();
        return std::optional(found->second);
      }};
}

constexpr const char* kVersions = "talosVersion: v1.12.6\nkubernetesVersion: v1.35.2\n";

TEST(Detect, ByNameAndByContent) {
  EXPECT_EQ(detect_format("", "talos/talconfig.yaml"), ProfileFormat::talconfig);
  EXPECT_EQ(detect_format("", "cluster.toml"), ProfileFormat::cluster_toml);
  EXPECT_EQ(detect_format("clusterName: a\nclusterEndpoint: b\n", "x.yaml"), ProfileFormat::topf);
  EXPECT_EQ(detect_format("---\nclusterName: a\n", "x.yaml"), ProfileFormat::talconfig);
  EXPECT_EQ(detect_format("node_cidr: a\n", "x.yaml"), ProfileFormat::cluster_yaml);
  EXPECT_EQ(detect_format("name: a\n", "infra.yaml"), ProfileFormat::ichor);
  EXPECT_EQ(detect_format("hello", "notes.txt"), std::nullopt);
  EXPECT_THAT(read_any_profile("hello", "notes.txt", with({})).findings.front().fix,
              HasSubstr("talconfig.yaml"));
}

TEST(Detect, ClusterTomlIsRead) {
  const ProfileReading reading = read_any_profile(
      "[network]\n"
      "node_cidr = \"192.168.20.0/22\"\n"
      "default_gateway = \"192.168.23.254\"\n"
      "vlan_tag = 22\n"
      "[kubernetes.api]\n"
      "addr = \"192.168.22.100\"\n"
      "[gateways]\n"
      "internal = \"192.168.22.120\"\n"
      "dns = \"192.168.22.121\"\n"
      "[[nodes]]\n"
      "name = \"w1\"\n"
      "address = \"192.168.22.111\"\n"
      "controller = false\n"
      "disk = \"S3Z8NB0K\"\n"
      "mac_addr = \"52:54:00:16:01:11\"\n"
      "[[nodes]]\n"
      "name = \"cp1\"\n"
      "address = \"192.168.22.101\"\n"
      "controller = true\n"
      "disk = \"/dev/sda\"\n"
      "mac_addr = \"52:54:00:16:01:01\"\n"
      "mtu = 9000\n",
      "cluster.toml", with({{"talos/talenv.yaml", kVersions}}));
  ASSERT_TRUE(reading.ok()) << reading.findings.front().where << reading.findings.front().what;
  const ClusterProfile& profile = reading.profile;
  EXPECT_EQ(profile.network.api_endpoint, "https://192.168.22.100:6443");
  EXPECT_EQ(profile.network.vip, "192.168.22.100");
  EXPECT_EQ(profile.network.pod_cidr, "10.42.0.0/16");
  EXPECT_TRUE(profile.network.vlan_tagged_by_node);
  EXPECT_TRUE(profile.talos.cni_none);
  EXPECT_EQ(profile.talos.version, (TalosVersion{1, 12, 6}));
  EXPECT_EQ(profile.nodes[0].disk, "/dev/sda");
  EXPECT_EQ(profile.nodes[1].disk_selector.serial, "S3Z8NB0K");
}

TEST(Detect, ClusterTomlIsStrict) {
  const ProfileReading reading =
      read_any_profile("[network]\nnode_cdr = \"192.168.20.0/22\"\n", "cluster.toml", with({}));
  std::string all;
  for (const Finding& finding : reading.findings) all += finding.where + " " + finding.fix + "\n";
  EXPECT_THAT(all, HasSubstr("cluster.toml:2:1 did you mean \"node_cidr\"?"));
  EXPECT_THAT(all, HasSubstr("talenv.yaml"));
}

TEST(Detect, ClusterYamlTakesItsNodesFromBeside) {
  constexpr const char* text =
      "node_cidr: 192.168.20.0/22\n"
      "cluster_api_addr: 192.168.22.100\n"
      "cloudflare_domain: example.org\n";
  const ProfileReading reading = read_any_profile(
      text, "infra/cluster.yaml",
      with({{"nodes.yaml",
             "nodes:\n  - {name: cp1, address: 192.168.22.101, controller: true, disk: /dev/sda, "
             "mac_addr: '52:54:00:16:01:01'}\n"},
            {"talos/talenv.yaml", kVersions}}));
  ASSERT_TRUE(reading.ok()) << reading.findings.front().where << reading.findings.front().what;
  EXPECT_EQ(reading.profile.nodes.front().name.value(), "cp1");
  const ProfileReading alone = read_any_profile(text, "infra/cluster.yaml", with({}));
  EXPECT_EQ(alone.findings.back().where, "infra/nodes.yaml:1:1");
}

TEST(Detect, ClusterYamlNamesTheAPIServerAsTheReleaseDoes) {
  const auto patches_on = [](const std::string& talos) {
    const ProfileReading reading = read_any_profile(
        "node_cidr: 192.168.20.0/22\n"
        "cluster_api_addr: 192.168.22.100\n"
        "cloudflare_domain: example.org\n"
        "cluster_api_tls_sans: [api.example.org]\n",
        "cluster.yaml",
        with({{"nodes.yaml",
               "nodes:\n  - {name: cp1, address: 192.168.22.101, controller: true, disk: /dev/sda, "
               "mac_addr: '52:54:00:16:01:01'}\n"},
              {"talos/talenv.yaml", "talosVersion: " + talos + "\nkubernetesVersion: v1.35.2\n"}}));
    return reading.profile.nodes.front().patches;
  };
  EXPECT_THAT(patches_on("v1.13.9"), testing::Contains(HasSubstr("certSANs: ['api.example.org']")));
  EXPECT_THAT(patches_on("v1.14.1"), testing::Each(Not(HasSubstr("cluster:"))));
  EXPECT_THAT(patches_on("v1.14.1"), testing::Contains(HasSubstr("kind: KubeAPIServerConfig")));
}

constexpr const char* kOneNode =
    "nodes:\n  - {name: cp1, address: 192.168.22.101, controller: true, disk: /dev/sda, "
    "mac_addr: '52:54:00:16:01:01'}\n";

TEST(Detect, TheUsersOwnKeysOfClusterYamlAreVariablesOfTheTemplates) {
  const ProfileReading reading = read_any_profile(
      "node_cidr: 192.168.20.0/22\ncluster_api_addr: 192.168.22.100\n"
      "loki_enabled: true\nproxmox_vlan_mode: access\nmine: {a: [1]}\n",
      "cluster.yaml", with({{"nodes.yaml", kOneNode}, {"talos/talenv.yaml", kVersions}}));
  ASSERT_TRUE(reading.findings.empty()) << reading.findings.front().what;
  for (const char* name : {"node_cidr", "loki_enabled", "proxmox_vlan_mode", "mine",
                           "node_default_gateway", "node_dns_servers"}) {
    EXPECT_NE(reading.variables.find(name), nullptr) << name;
  }
  EXPECT_EQ(reading.profile.network.gateway, "192.168.20.1");
}

TEST(Detect, AKeyOfClusterYamlThatIsAlmostAKnownOneIsAWarning) {
  const ProfileReading reading = read_any_profile(
      "node_cidr: 192.168.20.0/22\ncluster_api_addr: 192.168.22.100\n"
      "node_dns_server: [1.1.1.1]\n",
      "cluster.yaml", with({{"nodes.yaml", kOneNode}, {"talos/talenv.yaml", kVersions}}));
  ASSERT_TRUE(reading.ok());
  ASSERT_EQ(reading.findings.size(), 1u);
  EXPECT_THAT(reading.findings.front().what, HasSubstr("node_dns_servers"));
}

TEST(Detect, TopfIsRead) {
  const ProfileReading reading = read_any_profile(
      "clusterName: home\n"
      "clusterEndpoint: https://192.168.22.100:6443\n"
      "kubernetesVersion: v1.35.2\n"
      "talosVersion: v1.12.6\n"
      "schematicId: '@schematic.yaml'\n"
      "nodes:\n"
      "  - {host: cp1, role: control-plane, ip: 192.168.22.101}\n",
      "topf.yaml", with({}));
  ASSERT_TRUE(reading.ok()) << reading.findings.front().where << reading.findings.front().what;
  EXPECT_EQ(reading.profile.talos.schematic_file, "schematic.yaml");
  EXPECT_EQ(reading.profile.nodes.front().role, Role::control_plane);
  const ProfileReading refused = read_any_profile(
      "clusterName: home\nclusterEndpoint: https://192.168.22.100:6443\n"
      "kubernetesVersion: v1.35.2\ntalosVersion: v1.12.6\nnodesProvider: ./nodes\nnodes: []\n",
      "topf.yaml", with({}));
  ASSERT_EQ(refused.findings.size(), 1u);
  EXPECT_THAT(refused.findings.front().what, HasSubstr("program"));
}

}  // namespace
}  // namespace ichor
