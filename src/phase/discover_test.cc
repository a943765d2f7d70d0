#include "phase/discover.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

class DiscoverTest : public testing::Test {
 protected:
  DiscoverTest() {
    plan_.name = NodeName("cp1");
    plan_.mac = MacAddress("52:54:00:00:00:01");
    view_.node = plan_.name;
    view_.presence = Presence::maintenance;
    view_.identity = machine("uuid-1", "52:54:00:00:00:01");
    view_.fingerprint = Fingerprint("key-1");
  }
  static Identity machine(const char* uuid, const char* mac) {
    return {MachineUuid(uuid), SerialNumber("SN"), {MacAddress(mac)}, {}};
  }
  void bind(const char* name, const Identity& identity, const char* key = "") {
    JournalRecord record;
    record.kind = RecordKind::identity_bound;
    record.node = NodeName(name);
    record.value = encode_identity(identity, Fingerprint(key));
    facts_.fold(record, {});
  }
  Decision decide() const {
    return Discover().decide(Wanted{profile_, configs_, facts_, {}}, plan_, view_);
  }
  std::string stop_id() const {
    const Decision decision = decide();
    const Stop* stop = std::get_if<Stop>(&decision);
    return stop && stop->unsafe ? stop->finding.id : "(no unsafe stop)";
  }

  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  NodePlan plan_;
  NodeView view_;
};

TEST_F(DiscoverTest, BindsTheMachineToTheName) {
  const Decision decision = decide();
  const Remember* remember = std::get_if<Remember>(&decision);
  ASSERT_NE(remember, nullptr);
  EXPECT_EQ(remember->record.kind, RecordKind::identity_bound);
  const BoundIdentity bound = decode_identity(remember->record.value);
  EXPECT_EQ(bound.identity.uuid.value(), "uuid-1");
  EXPECT_EQ(bound.fingerprint.value(), "key-1");
}

TEST_F(DiscoverTest, IsSatisfiedByTheMachineItKnows) {
  bind("cp1", machine("uuid-1", "52:54:00:00:00:01"), "key-1");
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide()));
}

TEST_F(DiscoverTest, AnotherKeyOfTheMachineItKnowsStops) {
  bind("cp1", machine("uuid-1", "52:54:00:00:00:01"), "key-0");
  const Decision decision = decide();
  ASSERT_TRUE(std::holds_alternative<Stop>(decision));
  EXPECT_EQ(std::get<Stop>(decision).finding.id, "T2");
}

TEST_F(DiscoverTest, AnInstalledNodeInMaintenanceModeIsNoNewMachine) {
  bind("cp1", machine("uuid-1", "52:54:00:00:00:01"), "key-1");
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = plan_.name;
  record.key = kSettledKey;
  facts_.fold(record, {});
  EXPECT_EQ(stop_id(), "T2");
  view_.presence = Presence::configured;
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide()));
}

TEST_F(DiscoverTest, AnotherMachineUnderTheNameStops) {
  bind("cp1", machine("uuid-0", "52:54:00:00:00:00"));
  EXPECT_EQ(stop_id(), "O2");
}

TEST_F(DiscoverTest, OneMachineUnderTwoNamesStops) {
  bind("cp2", machine("uuid-1", "52:54:00:00:00:01"));
  EXPECT_EQ(stop_id(), "D8");
}

TEST_F(DiscoverTest, TheProfilesMacUuidAndSerialAreBinding) {
  plan_.mac = MacAddress("52:54:00:00:00:ff");
  EXPECT_EQ(stop_id(), "O2");
  plan_.mac = {};
  plan_.uuid = MachineUuid("uuid-2");
  EXPECT_EQ(stop_id(), "O2");
  plan_.uuid = {};
  plan_.serial = SerialNumber("OTHER");
  EXPECT_EQ(stop_id(), "O2");
}

TEST_F(DiscoverTest, AStrangerAtTheAddressStops) {
  view_.presence = Presence::stranger;
  EXPECT_EQ(stop_id(), "D8");
}

TEST_F(DiscoverTest, ASilentNodeIsWaitedFor) {
  view_.presence = Presence::silent;
  EXPECT_TRUE(std::holds_alternative<Wait>(decide()));
}

}  // namespace
}  // namespace ichor
