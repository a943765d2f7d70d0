#include "machineconfig/ready_configs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machineconfig/generate.h"
#include "machineconfig/test_secrets.h"

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A folder with the configs of a control plane and a worker, as talhelper leaves it.
class ReadyConfigsTest : public testing::Test {
 protected:
  ReadyConfigsTest() : ReadyConfigsTest({1, 12, 0}) {}
  explicit ReadyConfigsTest(TalosVersion contract) {
    profile_.talos.version = profile_.talos.contract = contract;
    profile_.name = "demo";
    profile_.network.api_endpoint = "https://192.168.22.100:6443";
    profile_.network.node_cidr = "192.168.20.0/22";
    profile_.network.gateway = "192.168.23.254";
    profile_.talos.kubernetes_version = "1.35.2";
    add("cp1", Role::control_plane, "192.168.22.101");
    add("w1", Role::worker, "192.168.22.111");
    const auto made = generate_all(profile_, secrets_);
    ready_.folder = "clusterconfig";
    for (const auto& [name, config] : made->nodes) {
      ready_.files["demo-" + name.value() + ".yaml"] = config.bytes;
    }
    made_ = *made;
  }

  void add(const std::string& name, Role role, const std::string& address) {
    NodePlan node;
    node.name = NodeName(name);
    node.role = role;
    node.address = node.maintenance_address = IpAddress(address);
    node.interface = "eth0";
    node.disk = "/dev/sda";
    profile_.nodes.push_back(node);
  }

  ConfigSet take() { return take_ready_configs(ready_, profile_, secrets_, findings_); }

  std::vector<std::string> complaints() const {
    std::vector<std::string> texts;
    for (const Finding& finding : findings_) texts.push_back(finding.what);
    return texts;
  }

  pki::SecretsBundle secrets_ = golden_secrets();
  ClusterProfile profile_;
  ReadyConfigs ready_;
  ConfigSet made_;
  std::vector<Finding> findings_;
};

TEST_F(ReadyConfigsTest, AreTakenAsTheyAre) {
  const ConfigSet taken = take();
  EXPECT_THAT(complaints(), IsEmpty());
  ASSERT_THAT(taken.nodes, SizeIs(2));
  for (const auto& [name, config] : made_.nodes) {
    EXPECT_EQ(taken.nodes.at(name).digest, config.digest);
    EXPECT_EQ(taken.nodes.at(name).canonical, config.canonical);
    EXPECT_EQ(taken.nodes.at(name).role, config.role);
  }
  EXPECT_EQ(taken.secrets_fingerprint, made_.secrets_fingerprint);
  EXPECT_EQ(taken.plan, made_.plan);
}

/// Ids, secrets and CAs are in documents of their own there.
class TypedReadyConfigsTest : public ReadyConfigsTest {
 protected:
  TypedReadyConfigsTest() : ReadyConfigsTest({1, 14, 1}) {}
};

TEST_F(TypedReadyConfigsTest, AreTakenAsTheyAre) {
  EXPECT_THAT(take().nodes, SizeIs(2));
  EXPECT_THAT(complaints(), IsEmpty());
}

TEST_F(TypedReadyConfigsTest, OfAnotherClusterAreRefused) {
  for (const auto change : {+[](pki::SecretsBundle& s) { s.cluster_id = "other"; },
                            +[](pki::SecretsBundle& s) { s.k8s.certificate = "other"; }}) {
    pki::SecretsBundle other = secrets_;
    change(other);
    std::vector<Finding> findings;
    EXPECT_THAT(take_ready_configs(ready_, profile_, other, findings).nodes, IsEmpty());
    ASSERT_THAT(findings, SizeIs(2));
    EXPECT_THAT(findings[0].what, HasSubstr("the config is of another cluster"));
  }
}

TEST_F(ReadyConfigsTest, CarryTheSecretsOfTheirCluster) {
  const auto taken = secrets_of(ready_);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_EQ(pki::fingerprint_of(*taken), pki::fingerprint_of(secrets_));
}

TEST_F(ReadyConfigsTest, OfWorkersAloneTellNoSecrets) {
  ready_.files.erase("demo-cp1.yaml");
  EXPECT_THAT(secrets_of(ready_).error().message, HasSubstr("no config of a control plane"));
}

TEST_F(ReadyConfigsTest, ANodeWithoutOneIsNamedWithTheNearestFile) {
  auto file = ready_.files.extract("demo-w1.yaml");
  file.key() = "demo-w01.yaml";
  ready_.files.insert(std::move(file));
  EXPECT_THAT(take().nodes, IsEmpty());
  EXPECT_THAT(complaints(), ElementsAre(HasSubstr("no config for w1")));
  EXPECT_THAT(findings_[0].fix, HasSubstr("demo-w01.yaml"));
}

TEST_F(ReadyConfigsTest, OfAnotherNodeAreRefused) {
  std::swap(ready_.files["demo-cp1.yaml"], ready_.files["demo-w1.yaml"]);
  take();
  EXPECT_THAT(complaints(),
              ElementsAre(HasSubstr("for a worker"), HasSubstr("for w1"),
                          HasSubstr("moves cp1 to 192.168.22.111"), HasSubstr("for a controlplane"),
                          HasSubstr("for cp1"), HasSubstr("moves w1 to 192.168.22.101")));
}

TEST_F(ReadyConfigsTest, OfAnotherClusterAreRefusedWithoutTellingASecret) {
  pki::SecretsBundle other = secrets_;
  other.cluster_secret = SecretString("b3RoZXI=");
  std::vector<Finding> findings;
  EXPECT_THAT(take_ready_configs(ready_, profile_, other, findings).nodes, IsEmpty());
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_THAT(findings[0].what, HasSubstr("its cluster.secret is not that of the secrets"));
  EXPECT_THAT(findings[0].what, Not(HasSubstr("b3RoZXI=")));
}

TEST_F(ReadyConfigsTest, WhatTalosWouldRefuseIsReportedWithItsPlace) {
  ready_.files["demo-w1.yaml"] = SecretString("version: v1alpha1\nmachine:\n  typo: worker\n");
  EXPECT_THAT(take().nodes, IsEmpty());
  ASSERT_FALSE(findings_.empty());
  EXPECT_EQ(findings_[0].id, "config.invalid");
  EXPECT_EQ(findings_[0].where, "clusterconfig/demo-w1.yaml:3:3");
}

}  // namespace
}  // namespace ichor
