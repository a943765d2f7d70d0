#include "cluster/run_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NodePlan node(const char* name, Role role, const char* address) {
  NodePlan plan;
  plan.name = NodeName(name);
  plan.role = role;
  plan.address = plan.maintenance_address = IpAddress(address);
  plan.pin = Fingerprint("pinned");
  return plan;
}

class RunProfileTest : public testing::Test {
 protected:
  RunProfileTest() {
    declared_.name = "infra";
    declared_.nodes = {node("cp1", Role::control_plane, "10.0.0.1"),
                       node("w1", Role::worker, "10.0.0.2"), node("w2", Role::worker, "10.0.0.3")};
  }
  RunProfile taken() {
    auto run = run_profile(declared_, options_);
    EXPECT_TRUE(run) << (run ? "" : run.error().verdict);
    return run.value_or(RunProfile{});
  }
  std::string refused() {
    const auto run = run_profile(declared_, options_);
    EXPECT_FALSE(run);
    if (run) return {};
    EXPECT_EQ(run.error().exit, Exit::usage);
    return run.error().verdict;
  }
  static std::vector<std::string> names_of(const std::vector<NodePlan>& nodes) {
    std::vector<std::string> names;
    for (const NodePlan& plan : nodes) names.push_back(plan.name.value());
    return names;
  }

  ClusterProfile declared_;
  RunOptions options_;
};

TEST_F(RunProfileTest, WithoutOptionsAProfileIsAsItWasDeclared) {
  const RunProfile run = taken();
  EXPECT_THAT(names_of(run.profile.nodes), ElementsAre("cp1", "w1", "w2"));
  EXPECT_EQ(run.profile.trust, Trust::tofu);
  EXPECT_TRUE(run.warnings.empty());
}

TEST_F(RunProfileTest, NodesAreNamedByNameOrAddressAndTheOthersStayKnown) {
  options_.nodes.nodes = {NodeName("w2"), NodeName("10.0.0.1")};
  const RunProfile run = taken();
  EXPECT_THAT(names_of(run.profile.nodes), ElementsAre("cp1", "w2"));
  EXPECT_THAT(names_of(run.everybody), ElementsAre("cp1", "w1", "w2"));
}

TEST_F(RunProfileTest, AnExcludedNodeIsNotPartOfThePlan) {
  options_.exclude = {NodeName("w1")};
  EXPECT_THAT(names_of(taken().everybody), ElementsAre("cp1", "w2"));
  options_.exclude = {NodeName("cp1")};
  EXPECT_EQ(refused(), "no control plane is left");
}

TEST_F(RunProfileTest, ANodeThatTheProfileDoesNotHaveIsRefusedWithTheNearest) {
  options_.nodes.addresses[NodeName("cp2")] = IpAddress("10.0.0.9");
  EXPECT_THAT(refused(), HasSubstr("infra has no node cp2"));
  EXPECT_THAT(refused(), HasSubstr("did you mean \"cp1\"?"));
}

TEST_F(RunProfileTest, AnAddressIsWhereTheMachineIsNow) {
  options_.nodes.addresses[NodeName("w1")] = IpAddress("10.0.0.9");
  const RunProfile run = taken();
  EXPECT_EQ(run.profile.nodes[1].maintenance_address.value(), "10.0.0.9");
  EXPECT_EQ(run.profile.nodes[1].address.value(), "10.0.0.2");
}

TEST_F(RunProfileTest, InsecureDropsThePinsOfTheProfileAndWarns) {
  options_.nodes.trust.insecure = true;
  const RunProfile run = taken();
  EXPECT_EQ(run.profile.trust, Trust::insecure);
  EXPECT_EQ(run.profile.nodes[0].pin, Fingerprint());
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.warnings[0].id, "insecure");
}

TEST_F(RunProfileTest, FingerprintsCountMoreThanInsecure) {
  options_.nodes.trust.insecure = true;
  options_.nodes.trust.fingerprints = {Fingerprint("f")};
  const RunProfile run = taken();
  EXPECT_EQ(run.profile.trust, Trust::pin);
  EXPECT_TRUE(run.warnings.empty());
}

TEST_F(RunProfileTest, EndpointsAreControlPlanesOrAddresses) {
  options_.nodes.access.endpoints = {"cp1", "192.0.2.7"};
  const RunProfile run = taken();
  ASSERT_EQ(run.endpoints.size(), 2u);
  EXPECT_EQ(run.endpoints[0].value(), "10.0.0.1");
  options_.nodes.access.endpoints = {"w1"};
  EXPECT_THAT(refused(), HasSubstr("w1 is a worker"));
  options_.nodes.access.endpoints = {"nowhere"};
  EXPECT_THAT(refused(), HasSubstr("neither an address nor a node of infra"));
}

TEST_F(RunProfileTest, PatienceIsThatOfTheOptions) {
  options_.change.patience.retry_initial = std::chrono::minutes(2);
  options_.change.patience.etcd = std::chrono::minutes(3);
  options_.change.concurrency = 2;
  options_.change.order = Order::sequential;
  const ClusterProfile profile = taken().profile;
  EXPECT_EQ(profile.retry.max, std::chrono::minutes(2));
  EXPECT_EQ(profile.budgets.etcd, std::chrono::minutes(3));
  EXPECT_EQ(profile.budgets.verify, declared_.budgets.verify);
  EXPECT_EQ(profile.concurrency, 2);
  EXPECT_TRUE(profile.sequential);
}

}  // namespace
}  // namespace ichor
