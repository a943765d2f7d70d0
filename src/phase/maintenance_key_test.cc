#include "phase/maintenance_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// cp1, bound to a key, and what it shows now.
class MaintenanceKeyTest : public testing::Test {
 protected:
  MaintenanceKeyTest() {
    plan_.name = NodeName("cp1");
    bound_.identity = {MachineUuid("uuid"), SerialNumber("serial"), {MacAddress("mac")}, {}, "1.5"};
    bound_.fingerprint = Fingerprint("old");
    claim_.identity = bound_.identity;
    view_.presence = Presence::maintenance;
    view_.identity = bound_.identity;
    view_.fingerprint = Fingerprint("new");
  }

  void bind() {
    JournalRecord record;
    record.kind = RecordKind::identity_bound;
    record.node = plan_.name;
    record.value = encode_binding(bound_);
    facts_.fold(record, {});
  }
  std::optional<Decision> decide() {
    return decide_key({profile_, configs_, facts_, {}}, plan_, view_);
  }
  std::vector<Fingerprint> demanded() {
    return maintenance_demand(profile_, plan_, facts_).maintenance_pins;
  }
  std::string missing() {
    const auto evidence = evidence_of_reboot(bound_, claim_);
    return evidence ? "nothing" : evidence.error().message;
  }

  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  NodePlan plan_;
  NodeView view_;
  BoundIdentity bound_;
  NewKeyClaim claim_;
};

TEST_F(MaintenanceKeyTest, TheBoundKeyIsDemandedInTheHandshake) {
  EXPECT_THAT(demanded(), IsEmpty());
  bind();
  EXPECT_THAT(demanded(), ElementsAre(Fingerprint("old")));
  profile_.trust = Trust::strict;
  EXPECT_THAT(demanded(), ElementsAre(Fingerprint("old")));
  profile_.accepted_keys[plan_.name] = Fingerprint("new");
  EXPECT_THAT(demanded(), ElementsAre(Fingerprint("old"), Fingerprint("new")));
  profile_.trust = Trust::insecure;
  EXPECT_THAT(demanded(), IsEmpty());
}

TEST_F(MaintenanceKeyTest, APinOfTheNodeImpliesTheLevel) {
  bind();
  plan_.pin = Fingerprint("console");
  for (const Trust trust : {Trust::tofu, Trust::strict, Trust::pin, Trust::insecure}) {
    profile_.trust = trust;
    EXPECT_THAT(demanded(), ElementsAre(Fingerprint("console")));
  }
  profile_.pins = {Fingerprint("flag")};
  EXPECT_THAT(demanded(), ElementsAre(Fingerprint("flag")));
}

TEST_F(MaintenanceKeyTest, AnAcceptedKeyIsDemandedAlsoBeforeAnyIsBound) {
  profile_.accepted_keys[plan_.name] = Fingerprint("console");
  EXPECT_THAT(demanded(), ElementsAre(Fingerprint("console")));
}

TEST_F(MaintenanceKeyTest, AReachableOldKeyOrAnotherMachineIsNoReboot) {
  claim_.identity.since = "2.5";
  EXPECT_EQ(missing(), "nothing");
  claim_.old_key_answers = true;
  EXPECT_EQ(missing(), "the old key still answers");
  claim_.old_key_answers = false;
  claim_.identity.serial = SerialNumber("other");
  EXPECT_EQ(missing(), "its serial number has changed");
  claim_.identity = bound_.identity;
  claim_.identity.since = "2.5";
  claim_.identity.macs = {MacAddress("mac"), MacAddress("more")};
  EXPECT_EQ(missing(), "its MAC addresses have changed");
  claim_.identity = bound_.identity;
  claim_.identity.uuid = MachineUuid("other");
  EXPECT_EQ(missing(), "its UUID has changed");
}

TEST_F(MaintenanceKeyTest, TheSameBootIsNoRebootUnlessTheClockWasSetMeanwhile) {
  claim_.clock_synced = Known::yes;
  EXPECT_EQ(missing(), "it did not reboot in between");
  bound_.clock_set = false;
  EXPECT_EQ(missing(), "nothing");
  claim_.clock_synced = Known::unknown;
  EXPECT_EQ(missing(), "it did not reboot in between");
}

TEST_F(MaintenanceKeyTest, ABootThatIsNotReportedIsNoEvidence) {
  claim_.identity.since.clear();
  EXPECT_EQ(missing(), "it does not report when it was started");
  claim_.identity.since = "2.5";
  bound_.identity.since.clear();
  EXPECT_EQ(missing(), "it does not report when it was started");
}

TEST_F(MaintenanceKeyTest, AnotherKeyWithoutEvidenceStopsTheNode) {
  bind();
  const auto decision = decide();
  ASSERT_TRUE(decision && std::holds_alternative<Stop>(*decision));
  const Stop& stop = std::get<Stop>(*decision);
  EXPECT_TRUE(stop.unsafe);
  EXPECT_EQ(stop.finding.id, "T2");
  EXPECT_THAT(stop.finding.what, HasSubstr("the key new, but the journal records old"));
  EXPECT_THAT(stop.finding.fix, HasSubstr("--accept-key cp1=new"));
}

TEST_F(MaintenanceKeyTest, AKeyAfterARebootIsBoundAndBothAreShown) {
  bind();
  view_.key_change = KeyChange{Fingerprint("old"), "it rebooted"};
  view_.clock_was_set = false;
  const auto decision = decide();
  ASSERT_TRUE(decision && std::holds_alternative<Remember>(*decision));
  const Remember& remember = std::get<Remember>(*decision);
  ASSERT_TRUE(remember.note);
  EXPECT_EQ(remember.note->severity, Severity::warning);
  EXPECT_THAT(remember.note->what, HasSubstr("old before, new now (it rebooted)"));
  facts_.fold(remember.record, {});
  EXPECT_EQ(facts_.bound(plan_.name)->fingerprint, Fingerprint("new"));
  EXPECT_FALSE(facts_.bound(plan_.name)->clock_set);
  EXPECT_FALSE(decide());
}

TEST_F(MaintenanceKeyTest, EvidenceAgainstAnEarlierKeyIsNoneAgainstTheBoundOne) {
  bind();
  view_.key_change = KeyChange{Fingerprint("older"), "it rebooted"};
  const auto decision = decide();
  EXPECT_TRUE(decision && std::holds_alternative<Stop>(*decision));
}

TEST_F(MaintenanceKeyTest, AnAcceptedKeyIsBound) {
  bind();
  profile_.trust = Trust::strict;
  profile_.accepted_keys[plan_.name] = Fingerprint("new");
  const auto decision = decide();
  ASSERT_TRUE(decision && std::holds_alternative<Remember>(*decision));
  EXPECT_EQ(std::get<Remember>(*decision).record.key, "accepted key");
}

TEST_F(MaintenanceKeyTest, TheFirstKeyOfABoundMachineIsBoundWithoutAWord) {
  bound_.fingerprint = {};
  bind();
  const auto decision = decide();
  ASSERT_TRUE(decision && std::holds_alternative<Remember>(*decision));
  EXPECT_FALSE(std::get<Remember>(*decision).note);
}

TEST_F(MaintenanceKeyTest, PinsAndInsecureBindNoKeys) {
  bind();
  profile_.trust = Trust::insecure;
  EXPECT_FALSE(decide());
  plan_.pin = Fingerprint("console");
  EXPECT_FALSE(decide());
}

}  // namespace
}  // namespace ichor
