#include "phase/machine_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class MachineMatchTest : public testing::Test {
 protected:
  NodePlan& node(const char* name, const char* mac = "", const char* address = "") {
    NodePlan plan;
    plan.name = NodeName(name);
    plan.mac = MacAddress(mac);
    plan.address = plan.maintenance_address = IpAddress(address);
    profile_.nodes.push_back(plan);
    return profile_.nodes.back();
  }
  Sighting& machine(const char* address, const char* uuid, std::vector<std::string> macs,
                    PeerKind kind = PeerKind::maintenance) {
    Sighting sight;
    sight.address = IpAddress(address);
    sight.kind = kind;
    sight.fingerprint = Fingerprint(std::string("key of ") + address);
    sight.identity = Identity{MachineUuid(uuid), SerialNumber(std::string("S-") + uuid), {}, {}};
    for (std::string& mac : macs) sight.identity->macs.emplace_back(std::move(mac));
    seen_.push_back(sight);
    return seen_.back();
  }
  void bind(const char* name, const Identity& identity) {
    JournalRecord record;
    record.kind = RecordKind::identity_bound;
    record.node = NodeName(name);
    record.value = encode_identity(identity, {});
    facts_.fold(record, {});
  }
  void settle(const char* name) {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.node = NodeName(name);
    record.key = std::string(kSettledKey);
    facts_.fold(record, {});
  }
  MachineMatch match(MatchOptions options = {}) const {
    return match_machines(profile_, facts_, seen_, options);
  }
  std::string place(const MachineMatch& match, const char* name) const {
    const auto found = match.machine_of.find(NodeName(name));
    return found == match.machine_of.end() ? "" : seen_[found->second].address.value();
  }

  ClusterProfile profile_;
  JournalFacts facts_;
  std::vector<Sighting> seen_;
};

TEST_F(MachineMatchTest, EveryPhysicalLinkCounts) {
  node("cp1", "aa:01");
  node("cp2", "bb:02");
  machine("10.0.0.7", "u2", {"bb:01", "bb:02"});
  machine("10.0.0.9", "u1", {"aa:01"});
  const MachineMatch found = match();
  EXPECT_TRUE(found.complete());
  EXPECT_EQ(place(found, "cp1"), "10.0.0.9");
  EXPECT_EQ(place(found, "cp2"), "10.0.0.7");
  EXPECT_EQ(found.proof.at(NodeName("cp2")), "MAC bb:02");
  EXPECT_THAT(found.matrix, IsEmpty());
}

TEST_F(MachineMatchTest, UuidAndSerialCountToo) {
  node("cp1").uuid = MachineUuid("u1");
  node("w1").serial = SerialNumber("S-u2");
  machine("10.0.0.7", "u2", {"bb:01"});
  machine("10.0.0.9", "u1", {"aa:01"}, PeerKind::ours);
  const MachineMatch found = match();
  EXPECT_TRUE(found.complete());
  EXPECT_EQ(place(found, "cp1"), "10.0.0.9");
  EXPECT_EQ(place(found, "w1"), "10.0.0.7");
}

TEST_F(MachineMatchTest, EverythingThatIsDeclaredMustBeTrue) {
  node("cp1", "aa:01").uuid = MachineUuid("u9");
  machine("10.0.0.9", "u1", {"aa:01"});
  const MachineMatch found = match();
  EXPECT_FALSE(found.complete());
  EXPECT_THAT(found.missing, ElementsAre(NodeName("cp1")));
  ASSERT_THAT(found.matrix, SizeIs(1));
  EXPECT_FALSE(found.matrix[0].fits);
  EXPECT_EQ(found.matrix[0].why, "the profile says UUID u9, the machine has u1");
}

TEST_F(MachineMatchTest, ExtraMachinesAndStrangersMatchNoNode) {
  node("cp1", "aa:01");
  machine("10.0.0.7", "u2", {"bb:01"});
  machine("10.0.0.8", "u3", {"aa:01"}, PeerKind::foreign);
  machine("10.0.0.9", "u1", {"aa:01"});
  Sighting& other = machine("10.0.0.10", "", {}, PeerKind::other);
  other.identity.reset();
  const MachineMatch found = match();
  EXPECT_TRUE(found.complete());
  EXPECT_EQ(place(found, "cp1"), "10.0.0.9");
  EXPECT_EQ(found.node_of(0), nullptr);
  EXPECT_EQ(found.node_of(1), nullptr);
  EXPECT_EQ(found.node_of(3), nullptr);
}

TEST_F(MachineMatchTest, TwoMachinesThatFitOneNodeStop) {
  node("cp1", "aa:01");
  machine("10.0.0.7", "u1", {"aa:01"});
  machine("10.0.0.9", "u2", {"aa:01", "aa:02"});
  const MachineMatch found = match();
  EXPECT_FALSE(found.complete());
  EXPECT_THAT(found.ambiguous, ElementsAre(NodeName("cp1")));
  EXPECT_THAT(found.machine_of, IsEmpty());
  ASSERT_THAT(found.findings, SizeIs(2));
  EXPECT_THAT(found.findings[0].what, HasSubstr("two machines share MAC aa:01: 10.0.0.7"));
  EXPECT_EQ(found.findings[1].id, "D8");
  EXPECT_EQ(found.findings[1].severity, Severity::error);
  EXPECT_THAT(found.findings[1].what, HasSubstr("10.0.0.9 (UUID u2, serial S-u2, MAC aa:01"));
  EXPECT_THAT(found.matrix, SizeIs(2));
  EXPECT_TRUE(found.matrix[0].fits);
}

TEST_F(MachineMatchTest, ACloneIsNamedAlsoWhereTheMacsTellWhichIsWhich) {
  node("cp1", "aa:01");
  node("cp2", "bb:01");
  machine("10.0.0.7", "template", {"aa:01"});
  machine("10.0.0.9", "template", {"bb:01"});
  const MachineMatch found = match();
  EXPECT_TRUE(found.complete());
  ASSERT_THAT(found.findings, SizeIs(1));
  EXPECT_EQ(found.findings[0].severity, Severity::warning);
  EXPECT_THAT(found.findings[0].what, HasSubstr("two machines share UUID template"));
}

TEST_F(MachineMatchTest, OneMachineThatFitsTwoNodesStops) {
  node("cp1", "aa:01");
  node("cp2").uuid = MachineUuid("u1");
  machine("10.0.0.7", "u1", {"aa:01"});
  const MachineMatch found = match();
  EXPECT_FALSE(found.complete());
  EXPECT_THAT(found.ambiguous, ElementsAre(NodeName("cp1"), NodeName("cp2")));
  ASSERT_THAT(found.findings, SizeIs(1));
  EXPECT_EQ(found.findings[0].id, "O2");
  EXPECT_THAT(found.findings[0].what, HasSubstr("fits more than one node: cp1, cp2"));
}

TEST_F(MachineMatchTest, OneMachineAtTwoAddressesIsOneMachine) {
  node("cp1", "aa:01", "10.0.0.9");
  machine("10.0.0.7", "u1", {"aa:01"}, PeerKind::ours).fingerprint = Fingerprint("key");
  machine("10.0.0.9", "u1", {"aa:01"}, PeerKind::ours).fingerprint = Fingerprint("key");
  const MachineMatch found = match();
  EXPECT_TRUE(found.complete());
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_EQ(place(found, "cp1"), "10.0.0.9");
}

TEST_F(MachineMatchTest, WhatTheJournalBoundCountsWhereTheProfileIsSilent) {
  node("cp1");
  bind("cp1", {MachineUuid("u1"), {}, {MacAddress("aa:01")}, {}});
  machine("10.0.0.7", "u2", {"bb:01"});
  machine("10.0.0.9", "u1", {"aa:01"});
  const MachineMatch found = match();
  EXPECT_TRUE(found.complete());
  EXPECT_EQ(place(found, "cp1"), "10.0.0.9");
}

TEST_F(MachineMatchTest, AMachineThatTheJournalDoesNotKnowIsNotTheNode) {
  node("cp1").serial = SerialNumber("S-u1");
  bind("cp1", {MachineUuid("u9"), {}, {MacAddress("cc:01")}, {}});
  machine("10.0.0.9", "u1", {"aa:01"});
  const MachineMatch found = match();
  EXPECT_FALSE(found.complete());
  ASSERT_THAT(found.matrix, SizeIs(1));
  EXPECT_THAT(found.matrix[0].why, HasSubstr("the journal binds another machine to cp1: UUID u9"));
}

TEST_F(MachineMatchTest, AMemberInMaintenanceModeRaisesAnAlarm) {
  node("cp1", "aa:01");
  settle("cp1");
  machine("10.0.0.9", "u1", {"aa:01"});
  const MachineMatch found = match();
  EXPECT_FALSE(found.complete());
  ASSERT_THAT(found.findings, SizeIs(1));
  EXPECT_EQ(found.findings[0].id, "T2");
  EXPECT_THAT(found.findings[0].what, HasSubstr("back in maintenance mode at 10.0.0.9"));

  seen_[0].kind = PeerKind::ours;
  EXPECT_TRUE(match().complete());
}

TEST_F(MachineMatchTest, WithoutAnIdentityOnlyTheAddressCounts) {
  node("cp1", "", "10.0.0.9");
  node("cp2", "", "10.0.0.8");
  machine("10.0.0.7", "u2", {"bb:01"});
  machine("10.0.0.9", "u1", {"aa:01"});
  const MachineMatch found = match();
  EXPECT_EQ(place(found, "cp1"), "10.0.0.9");
  EXPECT_THAT(found.missing, ElementsAre(NodeName("cp2")));
  ASSERT_THAT(found.matrix, SizeIs(2));
  EXPECT_THAT(found.matrix[0].why, HasSubstr("neither mac, uuid nor serial of cp2"));
}

TEST_F(MachineMatchTest, AnIdentityIsWorthMoreThanAnAddress) {
  node("cp1", "", "10.0.0.9");
  node("cp2", "aa:01", "10.0.0.8");
  machine("10.0.0.9", "u1", {"aa:01"});
  const MachineMatch found = match();
  EXPECT_EQ(place(found, "cp2"), "10.0.0.9");
  EXPECT_THAT(found.missing, ElementsAre(NodeName("cp1")));
  ASSERT_THAT(found.matrix, SizeIs(1));
  EXPECT_EQ(found.matrix[0].why, "it is cp2");
}

TEST_F(MachineMatchTest, ByOrderOnlyWhenAskedForAndWithEqualCounts) {
  node("cp1");
  node("w1");
  node("w2", "aa:01");
  machine("10.0.0.100", "u2", {"bb:01"});
  machine("10.0.0.20", "u3", {"cc:01"});
  machine("10.0.0.9", "u1", {"aa:01"});
  machine("10.0.0.3", "u4", {"dd:01"}, PeerKind::ours);
  EXPECT_THAT(match().missing, ElementsAre(NodeName("cp1"), NodeName("w1")));

  const MachineMatch found = match({true});
  EXPECT_TRUE(found.complete());
  EXPECT_EQ(place(found, "cp1"), "10.0.0.20");
  EXPECT_EQ(place(found, "w1"), "10.0.0.100");
  EXPECT_EQ(place(found, "w2"), "10.0.0.9");

  machine("10.0.0.30", "u5", {"ee:01"});
  const MachineMatch uneven = match({true});
  EXPECT_FALSE(uneven.complete());
  EXPECT_EQ(place(uneven, "w2"), "10.0.0.9");
  ASSERT_THAT(uneven.findings, SizeIs(1));
  EXPECT_THAT(uneven.findings[0].what, HasSubstr("2 without mac, uuid and serial, and 3"));
}

}  // namespace

}  // namespace ichor
