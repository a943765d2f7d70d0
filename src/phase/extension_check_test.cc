#include "phase/extension_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machineconfig/schematic_input.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::HasSubstr;

class ExtensionCheckTest : public testing::Test {
 protected:
  ExtensionCheckTest() {
    NodePlan plan;
    plan.name = NodeName("cp1");
    profile_.nodes.push_back(plan);
    profile_.talos.schematic_file = "schematic.yaml";
    profile_.talos.schematic_id = "cafe";
    view_.node = plan.name;
    view_.address = IpAddress("192.168.22.101");
    view_.presence = Presence::maintenance;
    view_.hardware.emplace();
    host_.inputs["here/schematic.yaml"] =
        "customization:\n  systemExtensions:\n    officialExtensions:\n"
        "      - siderolabs/iscsi-tools\n      - siderolabs/qemu-guest-agent\n";
  }

  Check check() {
    return extension_check(profile_, wanted_extensions(profile_, "here/", host_.files), view_);
  }

  FakeHost host_;
  ClusterProfile profile_;
  NodeView view_;
};

TEST_F(ExtensionCheckTest, ANodeThatHasThemAllPasses) {
  view_.hardware->extensions = {"iscsi-tools", "qemu-guest-agent", "schematic"};
  EXPECT_EQ(check().verdict, Verdict::passed);
}

TEST_F(ExtensionCheckTest, AMissingOneIsNamedWithTheWayToGetIt) {
  view_.hardware->extensions = {"iscsi-tools"};
  const Check bare = check();
  EXPECT_EQ(bare.verdict, Verdict::warning);
  EXPECT_EQ(bare.finding.id, "D10");
  EXPECT_THAT(bare.finding.what, HasSubstr("cp1 runs without qemu-guest-agent"));
  EXPECT_THAT(bare.finding.fix, HasSubstr("the install brings them"));
  view_.presence = Presence::configured;
  EXPECT_THAT(check().finding.fix, HasSubstr("talosctl -n 192.168.22.101 upgrade --image"));
}

TEST_F(ExtensionCheckTest, WhatIsNotKnownIsSkippedAndNotPassed) {
  profile_.nodes[0].schematic = "beef";
  EXPECT_EQ(check().verdict, Verdict::skipped);
  profile_.nodes[0].schematic.clear();
  profile_.talos.schematic_file.clear();
  EXPECT_EQ(check().verdict, Verdict::skipped);
  view_.hardware.reset();
  EXPECT_EQ(check().verdict, Verdict::skipped);
}

TEST_F(ExtensionCheckTest, AContainerHasNone) {
  view_.hardware->container = true;
  EXPECT_EQ(check().verdict, Verdict::not_applicable);
}

}  // namespace
}  // namespace ichor
