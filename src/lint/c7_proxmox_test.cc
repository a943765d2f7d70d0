#include "lint/c7_proxmox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ClusterProfile with_a_number() {
  ClusterProfile profile;
  NodePlan& node = profile.nodes.emplace_back();
  node.name = NodeName("cp1");
  node.role = Role::control_plane;
  node.vmid = 801;
  return profile;
}

std::vector<std::string> found_in(const ClusterProfile& profile) {
  std::vector<Finding> findings;
  const ProfileSource source("ichor.yaml");
  lint_proxmox(LintInput{profile, source}, findings);
  std::vector<std::string> texts;
  for (const Finding& finding : findings) texts.push_back(finding.id + ": " + finding.what);
  return texts;
}

TEST(C7Proxmox, ANumberAloneNeedsAProviderThatKnowsIt) {
  ClusterProfile profile = with_a_number();
  EXPECT_THAT(found_in(profile), ElementsAre(HasSubstr("proxmox.vmid: cp1 has a vmid")));
  profile.proxmox.emplace();
  EXPECT_THAT(found_in(profile), IsEmpty());
}

TEST(C7Proxmox, BesideAMacItIsANote) {
  ClusterProfile profile = with_a_number();
  profile.nodes[0].mac = MacAddress("52:54:00:00:00:01");
  EXPECT_THAT(found_in(profile), IsEmpty());
}

}  // namespace
}  // namespace ichor
