#include "phase/stranger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::HasSubstr;

NodePlan node(const std::string& name, const std::string& address, const std::string& mac) {
  NodePlan plan;
  plan.name = NodeName(name);
  plan.address = plan.maintenance_address = IpAddress(address);
  plan.mac = MacAddress(mac);
  return plan;
}

class StrangerTest : public ::testing::Test {
 protected:
  StrangerTest() {
    profile_.nodes = {node("cp1", "10.0.0.1", "52:54:00:00:00:01"),
                      node("cp2", "10.0.0.2", "52:54:00:00:00:02")};
    view_.presence = Presence::stranger;
    view_.address = IpAddress("10.0.0.1");
    view_.identity.emplace();
  }

  Finding finding() { return stranger_finding(profile_, profile_.nodes[0], view_); }

  ClusterProfile profile_;
  NodeView view_;
};

TEST_F(StrangerTest, SwappedMachinesAreNamedWithTheFlagsThatTellWhereTheyAre) {
  view_.identity->macs = {MacAddress("52:54:00:00:00:02")};
  EXPECT_THAT(finding().what, HasSubstr("it is cp2, whose address in the profile is 10.0.0.2"));
  EXPECT_THAT(finding().fix, HasSubstr("--address cp2=10.0.0.1 --address cp1=10.0.0.2"));
}

TEST_F(StrangerTest, AMachineThatMatchesNoNodeIsDescribed) {
  view_.identity->macs = {MacAddress("52:54:00:00:00:77")};
  view_.identity->uuid = MachineUuid("u-7");
  EXPECT_THAT(finding().what, HasSubstr("it has MAC 52:54:00:00:00:77, UUID u-7; the profile says "
                                        "MAC 52:54:00:00:00:01 for cp1"));
  EXPECT_THAT(finding().fix, HasSubstr("`--address cp1=IP`"));
}

}  // namespace
}  // namespace ichor
