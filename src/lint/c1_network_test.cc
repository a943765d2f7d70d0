#include "lint/c1_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ClusterProfile good_profile() {
  ClusterProfile profile;
  profile.network.api_endpoint = "https://192.168.22.100:6443";
  profile.network.node_cidr = "192.168.20.0/22";
  profile.network.gateway = "192.168.23.254";
  profile.network.pod_cidr = "10.42.0.0/16";
  profile.network.service_cidr = "10.43.0.0/16";
  profile.network.vip = "192.168.22.100";
  for (int i = 1; i <= 4; ++i) {
    NodePlan node;
    node.name = NodeName("n" + std::to_string(i));
    node.role = i < 4 ? Role::control_plane : Role::worker;
    node.address = IpAddress("192.168.22.10" + std::to_string(i));
    node.maintenance_address = node.address;
    node.interface = "eth0";
    profile.nodes.push_back(node);
  }
  return profile;
}

std::vector<std::string> ids_of(const ClusterProfile& profile) {
  const ProfileSource source("p.yaml");
  std::vector<std::string> ids;
  for (const Finding& finding : lint({profile, source})) ids.push_back(finding.id);
  return ids;
}

TEST(NetworkRule, AGoodProfileHasNoFindings) { EXPECT_THAT(ids_of(good_profile()), IsEmpty()); }

TEST(NetworkRule, PodsMayNotOverlapNodes) {
  ClusterProfile profile = good_profile();
  profile.network.pod_cidr = "192.168.0.0/16";
  EXPECT_THAT(ids_of(profile), ElementsAre("network.overlap"));
}

TEST(NetworkRule, TwoNodesMayNotShareAnAddress) {
  ClusterProfile profile = good_profile();
  profile.nodes[3].address = profile.nodes[3].maintenance_address = profile.nodes[0].address;
  EXPECT_THAT(ids_of(profile), ElementsAre("network.duplicate"));
}

TEST(NetworkRule, ANodeMayNotAnswerAtTheAddressOfAnother) {
  ClusterProfile profile = good_profile();
  profile.nodes[0].maintenance_address = profile.nodes[1].address;
  EXPECT_THAT(ids_of(profile), ElementsAre("network.duplicate"));
}

TEST(NetworkRule, TheVipIsNobodysAddress) {
  ClusterProfile profile = good_profile();
  profile.network.vip = profile.network.gateway;
  EXPECT_THAT(ids_of(profile), ElementsAre("network.vip", "network.endpoint"));
  profile.network.vip = "192.168.24.1";
  EXPECT_THAT(ids_of(profile), ElementsAre("network.outside", "network.endpoint"));
}

TEST(NetworkRule, TheEndpointIsNoWorker) {
  ClusterProfile profile = good_profile();
  profile.network.vip = "";
  profile.network.api_endpoint = "https://192.168.22.104:6443";
  EXPECT_THAT(ids_of(profile), ElementsAre("network.endpoint"));
}

TEST(NetworkRule, ANodeIsNotTheGatewayOrTheNetwork) {
  ClusterProfile profile = good_profile();
  profile.nodes[0].address = profile.nodes[0].maintenance_address = IpAddress("192.168.23.254");
  profile.nodes[1].address = profile.nodes[1].maintenance_address = IpAddress("192.168.20.0");
  EXPECT_THAT(ids_of(profile), ElementsAre("network.duplicate", "network.outside"));
}

TEST(NetworkRule, WorksForIpv6) {
  ClusterProfile profile = good_profile();
  profile.network.api_endpoint = "https://[fd00:22::100]:6443";
  profile.network.node_cidr = "fd00:22::/64";
  profile.network.gateway = "fd00:22::fe";
  profile.network.pod_cidr = "fd00:42::/56";
  profile.network.service_cidr = "fd00:43::/108";
  profile.network.vip = "fd00:22::100";
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    profile.nodes[i].address = IpAddress("fd00:22::" + std::to_string(i + 1));
    profile.nodes[i].maintenance_address = profile.nodes[i].address;
  }
  EXPECT_THAT(ids_of(profile), IsEmpty());
  profile.nodes[0].address = IpAddress("fd00:23::1");
  EXPECT_THAT(ids_of(profile), ElementsAre("network.outside"));
}

TEST(LintRules, HaveIdsAndTitles) {
  for (const LintRule& rule : lint_rules()) {
    EXPECT_FALSE(rule.id.empty());
    EXPECT_FALSE(rule.title.empty());
  }
}

}  // namespace
}  // namespace ichor
