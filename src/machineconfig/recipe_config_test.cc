#include "machineconfig/recipe_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machineconfig/test_secrets.h"
#include "machineconfig/validate/validate.h"
#include "profile/talconfig.h"
#include "yaml/emit.h"

namespace ichor {
namespace {

using testing::HasSubstr;
using testing::Not;

ReaderInputs nothing_beside() {
  return {[](const std::string&) { return std::optional<std::string>(); },
          [](const std::string&) -> Result<std::optional<std::string>> {
            return std::optional<std::string>();
          }};
}

/// A project of talhelper with all that has another place in Talos 1.14.
ClusterRecipe project(const std::string& version, const std::string& patches = "[]") {
  const ProfileReading reading = read_talconfig(
      "clusterName: home\n"
      "talosVersion: " +
          version +
          "\n"
          "kubernetesVersion: v1.36.1\n"
          "endpoint: https://192.168.22.100:6443\n"
          "clusterPodNets: [10.42.0.0/16]\n"
          "additionalApiServerCertSans: [api.example.org]\n"
          "cniConfig: {name: none}\n"
          "patches: " +
          patches +
          "\n"
          "nodes:\n"
          "  - hostname: cp1\n"
          "    ipAddress: 192.168.22.101\n"
          "    controlPlane: true\n"
          "    installDiskSelector: {serial: S1}\n"
          "    nodeLabels: {rack: a}\n"
          "    nodeTaints: {dedicated: 'etcd:NoSchedule'}\n"
          "  - {hostname: w1, ipAddress: 192.168.22.111, installDisk: /dev/sda}\n",
      "talconfig.yaml", nothing_beside());
  EXPECT_TRUE(reading.ok());
  return *reading.recipe;
}

class RecipeConfig : public testing::Test {
 protected:
  std::string config_of(std::size_t node, const ClusterRecipe& recipe) {
    const Contract contract = *find_contract(recipe.version);
    RecipeCook cook(recipe, contract, secrets_);
    auto documents = cook.config(recipe.nodes[node]);
    EXPECT_TRUE(documents) << documents.error().message;
    findings_ = cook.findings;
    return documents ? yaml::emit_all(*documents) : "";
  }

  pki::SecretsBundle secrets_ = golden_secrets();
  std::vector<Finding> findings_;
};

TEST_F(RecipeConfig, OfTalos114IsMadeOfDocuments) {
  const ClusterRecipe recipe = project("v1.14.1");
  const std::string config = config_of(0, recipe);
  for (const char* part :
       {"kind: UnattendedInstallConfig", "kind: KubeNetworkConfig", "- 10.42.0.0/16",
        "kind: KubeAPIServerConfig", "api.example.org", "rack: a", "dedicated: etcd:NoSchedule",
        "metal-installer/", "kind: HostnameConfig"}) {
    EXPECT_THAT(config, HasSubstr(part));
  }
  EXPECT_THAT(config, Not(HasSubstr("podSubnets:\n    - 10.244.0.0/16")));
  EXPECT_THAT(config, Not(HasSubstr("nodeLabels")));
}

TEST_F(RecipeConfig, OfTalos114IsWhatTalosAccepts) {
  const ClusterRecipe recipe =
      project("v1.14.1",
              "['{cluster: {apiServer: {extraArgs: {feature-gates: ImageVolume=true}}}, "
              "machine: {kubelet: {extraArgs: {feature-gates: ImageVolume=true}}}}']");
  for (const std::size_t node : {0u, 1u}) {
    const std::string config = config_of(node, recipe);
    EXPECT_THAT(config, HasSubstr("ImageVolume=true"));
    ValidateOptions options;
    options.minor = 14;
    for (const ConfigFinding& finding : validate_config(config, options)) {
      EXPECT_NE(finding.severity, Severity::error) << finding.what;
    }
  }
}

/// A project with a template of its own, for one worker with an old-form patch.
ClusterRecipe templated(const std::string& text) {
  ClusterRecipe recipe;
  recipe.cluster_name = "home";
  recipe.version = {1, 14, 1};
  recipe.base = BaseTemplate{"machineconfig.yaml.j2", text, {}, {}, {}};
  NodeRecipe node;
  node.node = NodeName("w1");
  node.patches.push_back({"w1.yaml", "machine: {kubelet: {extraArgs: {v: '4'}}}\n"});
  recipe.nodes.push_back(std::move(node));
  return recipe;
}

TEST_F(RecipeConfig, PatchesTakeTheFormOfTheTemplate) {
  const ClusterRecipe old =
      templated("machine: {type: {{ role }}, kubelet: {image: 'a:v1.36.1'}}\n");
  EXPECT_THAT(base_kinds(old), testing::IsEmpty());
  EXPECT_THAT(config_of(0, old), HasSubstr("        extraArgs:\n            v: \"4\""));
  const ClusterRecipe typed = templated(
      "machine: {type: {{ role }}}\n---\napiVersion: v1alpha1\nkind: KubeletConfig\n"
      "image: a:v1.36.1\n");
  EXPECT_THAT(base_kinds(typed), testing::ElementsAre("KubeletConfig"));
  const std::string config = config_of(0, typed);
  EXPECT_THAT(config, HasSubstr("extraArgs:\n    v: \"4\""));
  EXPECT_THAT(config, Not(HasSubstr("kubelet:\n")));
}

TEST_F(RecipeConfig, ATypedTemplateMustNotHoldSecretsOfAnotherCluster) {
  const std::string start = "machine: {type: worker}\n---\napiVersion: v1alpha1\nkind: ";
  for (const auto& [text, key] :
       {std::pair("DiscoveryIdentityConfig\nclusterID: c4n4ry\n", "clusterID"),
        {"DiscoveryIdentityConfig\nclusterSecret: c4n4ry\n", "clusterSecret"},
        {"KubeAPIServerCAConfig\nissuingCA: {cert: c4n4ry, key: c4n4ry}\n", "issuingCA.cert"},
        {"KubeAPIServerCAConfig\nacceptedCAs: [c4n4ry]\n", "acceptedCAs"}}) {
    const ClusterRecipe recipe = templated(start + text);
    const Contract contract = *find_contract(recipe.version);
    const auto config = RecipeCook(recipe, contract, secrets_).config(recipe.nodes[0]);
    ASSERT_FALSE(config.has_value()) << key;
    EXPECT_THAT(config.error().message, HasSubstr(std::string(key) + " is that of another"));
    EXPECT_THAT(config.error().message, Not(HasSubstr("c4n4ry")));
  }
}

TEST_F(RecipeConfig, OfTalos113StaysAsTalhelperMakesIt) {
  const std::string config = config_of(0, project("v1.13.5"));
  EXPECT_THAT(config, HasSubstr("nodeLabels"));
  EXPECT_THAT(config, Not(HasSubstr("kind: KubeNetworkConfig")));
}

}  // namespace
}  // namespace ichor
