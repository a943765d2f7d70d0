#include "profile/talconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "yaml/emit.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Folder {
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> variables;

  ReaderInputs inputs() const {
    return {[this](const std::string& name) -> std::optional<std::string> {
              const auto found = variables.find(name);
              return found == variables.end() ? std::nullopt : std::optional(found->second);
            },
            [this](const std::string& path) -> Result<std::optional<std::string>> {
              const auto found = files.find(path);
              if (found == files.end()) return std::optional<std::string>();
              return std::optional(found->second);
            }};
  }
  ProfileReading read(std::string_view text) const {
    const ReaderInputs around = inputs();
    return read_talconfig(text, "talconfig.yaml", around);
  }
};

constexpr std::string_view kHead =
    "clusterName: home\n"
    "talosVersion: v1.12.6\n"
    "kubernetesVersion: v1.35.2\n"
    "endpoint: https://192.168.22.100:6443\n";

std::string with_nodes(std::string_view more) { return std::string(kHead) + std::string(more); }

std::string kinds_of(const NodeRecipe& recipe) {
  std::string kinds;
  for (const yaml::Node& document : recipe.documents) kinds += document.find("kind")->text + " ";
  return kinds;
}

TEST(Talconfig, NodesBecomeRecipes) {
  const ProfileReading reading =
      Folder{}.read(with_nodes("nodes:\n"
                               "  - hostname: w1\n"
                               "    ipAddress: 192.168.22.111\n"
                               "    installDisk: /dev/sda\n"
                               "  - hostname: cp1\n"
                               "    ipAddress: 192.168.22.101, 10.0.0.1\n"
                               "    controlPlane: true\n"
                               "    installDiskSelector: {size: '>= 100GB'}\n"
                               "    networkInterfaces:\n"
                               "      - deviceSelector: {hardwareAddr: '52:54:00:16:01:01'}\n"
                               "        addresses: [192.168.22.101/22]\n"
                               "        routes: [{network: 0.0.0.0/0, gateway: 192.168.23.254}]\n"
                               "        vip: {ip: 192.168.22.100}\n"));
  ASSERT_TRUE(reading.ok()) << reading.findings.front().where << reading.findings.front().what;
  EXPECT_EQ(reading.profile.nodes.front().name.value(), "cp1");
  EXPECT_EQ(reading.profile.network.node_cidr, "192.168.20.0/22");
  EXPECT_EQ(reading.profile.network.gateway, "192.168.23.254");
  EXPECT_EQ(reading.profile.network.vip, "192.168.22.100");
  EXPECT_EQ(reading.profile.nodes.front().mac.value(), "52:54:00:16:01:01");
  const ClusterRecipe& recipe = *reading.recipe;
  EXPECT_THAT(recipe.endpoints, ElementsAre("192.168.22.101", "10.0.0.1"));
  EXPECT_THAT(recipe.addresses, ElementsAre("192.168.22.111", "192.168.22.101", "10.0.0.1"));
  EXPECT_EQ(recipe.nodes[1].file_name, "home-cp1.yaml");
  EXPECT_EQ(recipe.nodes[1].install_image, "factory.talos.dev/metal-installer/<schematic>:v1.12.6");
  EXPECT_EQ(kinds_of(recipe.nodes[0]), "HostnameConfig ");
  EXPECT_EQ(kinds_of(recipe.nodes[1]),
            "HostnameConfig LinkAliasConfig Layer2VIPConfig LinkConfig ");
}

TEST(Talconfig, RolePatchesComeFirstAndGlobalOnesLast) {
  Folder folder;
  folder.files["./role.yaml"] = "# ${NOT_SET}\nmachine: {sysctls: {a: '${VALUE}'}}\n";
  folder.files["talenv.yaml"] = "VALUE: one\n";
  folder.variables["VALUE"] = "two";
  const ProfileReading reading = folder.read(with_nodes(
      "patches: ['machine: {type: worker}']\n"
      "worker: {patches: ['@./role.yaml'], certSANs: [b]}\n"
      "nodes:\n"
      "  - {hostname: w1, ipAddress: 10.0.0.1, installDisk: /dev/sda, certSANs: [a],\n"
      "     patches: ['machine: {sysctls: {b: x}}']}\n"
      "  - {hostname: w2, ipAddress: 10.0.0.2, installDisk: /dev/sda, overridePatches: true,\n"
      "     patches: ['machine: {sysctls: {c: x}}']}\n"));
  ASSERT_TRUE(reading.ok()) << reading.findings.front().where << reading.findings.front().what;
  const std::vector<NodeRecipe>& nodes = reading.recipe->nodes;
  ASSERT_EQ(nodes[0].patches.size(), 3u);
  EXPECT_EQ(nodes[0].patches[0].text, "machine:\n    sysctls:\n        a: one\n");
  EXPECT_EQ(nodes[0].patches[1].text, "machine: {sysctls: {b: x}}");
  EXPECT_EQ(nodes[0].patches[2].text, "machine: {type: worker}");
  ASSERT_EQ(nodes[1].patches.size(), 2u);
  EXPECT_EQ(nodes[1].patches[0].text, "machine: {sysctls: {c: x}}");
}

TEST(Talconfig, IsStrict) {
  const ProfileReading reading =
      Folder{}.read(with_nodes("clusterPodNet: [10.42.0.0/16]\n"
                               "nodes:\n"
                               "  - {hostname: w1, ipAddress: 10.0.0.1, installDsk: /dev/sda}\n"));
  ASSERT_EQ(reading.findings.size(), 3u);
  EXPECT_EQ(reading.findings[0].where, "talconfig.yaml:5:1");
  EXPECT_THAT(reading.findings[0].fix, HasSubstr("clusterPodNets"));
  EXPECT_THAT(reading.findings[1].what, HasSubstr("neither installDisk"));
  EXPECT_THAT(reading.findings[2].fix, HasSubstr("installDisk"));
}

TEST(Talconfig, AVariableThatIsNotSetIsAnError) {
  const ProfileReading reading = Folder{}.read(with_nodes(
      "nodes:\n  - {hostname: '${NAME}', ipAddress: 10.0.0.1, installDisk: /dev/sda}\n"));
  ASSERT_EQ(reading.findings.size(), 1u);
  EXPECT_EQ(reading.findings[0].id, "profile.variable");
  EXPECT_EQ(reading.findings[0].where, "talconfig.yaml:6:16");
}

TEST(Talconfig, OlderContractsKeepTheNetworkInTheMachine) {
  std::string text = with_nodes(
      "nodes:\n"
      "  - hostname: w1\n"
      "    ipAddress: 10.0.0.1\n"
      "    installDisk: /dev/sda\n"
      "    nameservers: [1.1.1.1]\n"
      "    schematic: {customization: {extraKernelArgs: [a=b]}}\n"
      "    networkInterfaces: [{interface: eth0, dhcp: true}]\n");
  text.replace(text.find("v1.12.6"), 7, "v1.11.3");
  const ProfileReading reading = Folder{}.read(text);
  ASSERT_TRUE(reading.ok()) << reading.findings.front().what;
  const NodeRecipe& node = reading.recipe->nodes.front();
  EXPECT_TRUE(node.documents.empty());
  std::string paths;
  for (const ConfigEdit& edit : node.edits) paths += edit.path.back() + " ";
  EXPECT_EQ(paths,
            "podSubnets serviceSubnets disk extraKernelArgs hostname nameservers interfaces ");
}

}  // namespace
}  // namespace ichor
