#include "phase/vm_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class VmIdentityTest : public testing::Test {
 protected:
  VmIdentityTest() {
    profile_.name = "pve";
    NodePlan plan;
    plan.name = NodeName("cp1");
    plan.vmid = 801;
    plan.interface = "eth0";
    profile_.nodes = {plan};
    node().mac = derived_mac(profile_, node().name);
  }
  NodePlan& node() { return profile_.nodes.front(); }
  VmSeen& vm(const std::string& net0) {
    VmSeen seen;
    seen.place = {"pve1", 801};
    seen.name = "cp1";
    seen.config = VmConfig{{{"net0", net0}, {"smbios1", "serial=x,uuid=4C4C4544-0001"}}};
    sight_.vms = {seen};
    return sight_.vms.front();
  }
  void bind(const char* mac) {
    JournalRecord record;
    record.kind = RecordKind::identity_bound;
    record.node = node().name;
    record.value = encode_identity({MachineUuid("u"), {}, {MacAddress(mac)}, {}}, {});
    facts_.fold(record, {});
  }
  std::vector<Finding> learn() { return bind_to_vms(profile_, sight_, facts_); }

  ClusterProfile profile_;
  ProvisionSight sight_;
  JournalFacts facts_;
};

TEST_F(VmIdentityTest, AVmWithAnotherMacThanTheDerivedOneIsTheNode) {
  vm("virtio=BC:24:11:AA:00:01,bridge=vmbr0");
  EXPECT_THAT(learn(), IsEmpty());
  EXPECT_EQ(node().mac.value(), "bc:24:11:aa:00:01");
  EXPECT_EQ(node().uuid.value(), "4c4c4544-0001");
}

TEST_F(VmIdentityTest, AVmOfAnotherNameOrClusterIsNotTheNode) {
  const MacAddress derived = node().mac;
  vm("virtio=BC:24:11:AA:00:01,bridge=vmbr0").name = "cp2";
  EXPECT_THAT(learn(), IsEmpty());
  EXPECT_EQ(node().mac, derived);
  vm("virtio=BC:24:11:AA:00:01,bridge=vmbr0").tags = {"ichor-other"};
  EXPECT_THAT(learn(), IsEmpty());
  EXPECT_EQ(node().mac, derived);
  EXPECT_EQ(node().uuid.value(), "");
}

TEST_F(VmIdentityTest, WhatTheProfileSaysStays) {
  vm("virtio=BC:24:11:AA:00:01,bridge=vmbr0");
  node().mac = MacAddress("52:54:00:00:00:01");
  EXPECT_THAT(learn(), IsEmpty());
  EXPECT_EQ(node().mac.value(), "52:54:00:00:00:01");
  EXPECT_EQ(node().uuid.value(), "");
}

TEST_F(VmIdentityTest, ATemplateAndAVmWithoutACardSayNothing) {
  const MacAddress derived = node().mac;
  vm("virtio=BC:24:11:AA:00:01").is_template = true;
  learn();
  EXPECT_EQ(node().mac, derived);
  vm("").config->values.erase("net0");
  learn();
  EXPECT_EQ(node().mac, derived);
}

TEST_F(VmIdentityTest, TheMachineThatTheJournalBoundIsNotHeldToADerivedMac) {
  vm("virtio=BC:24:11:AA:00:01");
  bind("bc:24:11:aa:00:01");
  EXPECT_THAT(learn(), IsEmpty());
  EXPECT_EQ(node().mac.value(), "");
  EXPECT_FALSE(is_unbound(node(), facts_));
}

TEST_F(VmIdentityTest, AConfigThatNamesTheDerivedMacIsAnError) {
  vm("virtio=BC:24:11:AA:00:01,bridge=vmbr0");
  node().interface.clear();
  const std::vector<Finding> findings = learn();
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].id, "P2");
  EXPECT_THAT(findings[0].fix, HasSubstr("write `mac: bc:24:11:aa:00:01` for cp1"));
}

}  // namespace
}  // namespace ichor
