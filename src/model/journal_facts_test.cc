#include "model/journal_facts.h"

#include <gtest/gtest.h>

#include "model/provider_call.h"

namespace ichor {
namespace {

const NodeName kNode("cp1");

JournalRecord intent(std::uint64_t seq, Call call, std::string mark) {
  JournalRecord record;
  record.seq = seq;
  record.kind = RecordKind::intent;
  record.node = kNode;
  record.call = call;
  record.key = std::move(mark);
  return record;
}

JournalRecord outcome(std::uint64_t ref, Call call, OutcomeKind kind) {
  JournalRecord record;
  record.kind = RecordKind::outcome;
  record.node = kNode;
  record.call = call;
  record.ref = ref;
  record.outcome = kind;
  return record;
}

TEST(JournalFacts, AnIntentWithoutOutcomeIsUnknown) {
  JournalFacts facts;
  EXPECT_EQ(facts.last(Call::bootstrap, kNode), nullptr);
  facts.fold(intent(1, Call::bootstrap, "boot-1"), MonoTime{});
  ASSERT_NE(facts.last(Call::bootstrap, kNode), nullptr);
  EXPECT_EQ(facts.last(Call::bootstrap, kNode)->outcome, OutcomeKind::unknown);
  EXPECT_EQ(facts.last(Call::bootstrap, kNode)->mark, "boot-1");
  EXPECT_EQ(facts.last(Call::apply_configuration, kNode), nullptr);
}

TEST(JournalFacts, AnOutcomeBelongsToItsIntentOnly) {
  JournalFacts facts;
  facts.fold(intent(1, Call::bootstrap, "boot-1"), MonoTime{});
  facts.fold(intent(2, Call::bootstrap, "boot-2"), MonoTime{});
  facts.fold(outcome(1, Call::bootstrap, OutcomeKind::done), MonoTime{});
  EXPECT_EQ(facts.last(Call::bootstrap, kNode)->outcome, OutcomeKind::unknown);
  facts.fold(outcome(2, Call::bootstrap, OutcomeKind::refused), MonoTime{});
  EXPECT_EQ(facts.last(Call::bootstrap, kNode)->outcome, OutcomeKind::refused);
}

JournalRecord start(std::string cluster, const Digest& plan) {
  JournalRecord record;
  record.kind = RecordKind::run_started;
  record.key = std::move(cluster);
  record.value = to_hex(plan);
  return record;
}

TEST(JournalFacts, ARunOfPhasesLeavesClusterAndPlanAsTheyAre) {
  Digest plan;
  plan.bytes[0] = 7;
  JournalFacts facts;
  facts.fold(start("infra", plan), MonoTime{});
  facts.fold(start("infra", {}), MonoTime{});
  EXPECT_EQ(facts.cluster(), "infra");
  EXPECT_EQ(facts.plan(), plan);
  // As the first builds wrote it.
  facts.fold(start("phases", {}), MonoTime{});
  EXPECT_EQ(facts.cluster(), "infra");
  EXPECT_EQ(facts.plan(), plan);
}

TEST(JournalFacts, IdentityComesBackAsItWasWritten) {
  Identity identity;
  identity.uuid = MachineUuid("36f4dff3-8825-451e-a447-e2f303ee4d56");
  identity.serial = SerialNumber("SN-1");
  identity.macs = {MacAddress("52:54:00:00:00:01"), MacAddress("52:54:00:00:00:02")};
  identity.boot_id = BootId("b1");
  JournalRecord record;
  record.kind = RecordKind::identity_bound;
  record.node = kNode;
  record.value = encode_identity(identity, Fingerprint("pin="));
  JournalFacts facts;
  facts.fold(record, MonoTime{});
  const BoundIdentity* bound = facts.bound(kNode);
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(bound->identity.uuid, identity.uuid);
  EXPECT_EQ(bound->identity.serial, identity.serial);
  EXPECT_EQ(bound->identity.macs, identity.macs);
  EXPECT_EQ(bound->identity.boot_id, identity.boot_id);
  EXPECT_EQ(bound->fingerprint.value(), "pin=");
}

TEST(JournalFacts, DamagedIdentityTextIsAnEmptyIdentity) {
  for (const char* text : {"", ";;;", "=", "macs=", "uuid", "uuid=;macs=,"}) {
    EXPECT_TRUE(decode_identity(text).identity.uuid.value().empty()) << text;
  }
}

TEST(Identity, AClonedUuidIsNotTheSameMachine) {
  Identity original;
  original.uuid = MachineUuid("u");
  original.macs = {MacAddress("a")};
  Identity clone = original;
  clone.macs = {MacAddress("b")};
  EXPECT_FALSE(original.same_machine(clone));
  EXPECT_TRUE(original.same_machine(original));
}

TEST(Identity, AContainerIsKnownByItsMac) {
  Identity container;
  container.macs = {MacAddress("a")};
  Identity other = container;
  EXPECT_TRUE(container.same_machine(other));
  other.macs = {MacAddress("c")};
  EXPECT_FALSE(container.same_machine(other));
  EXPECT_FALSE(Identity{}.same_machine(Identity{})) << "two unknown machines are not the same one";
}

TEST(Digest, HexAndBack) {
  Digest digest;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    digest.bytes[i] = static_cast<std::uint8_t>(i * 9);
  }
  EXPECT_EQ(digest_from_hex(to_hex(digest)), digest);
  EXPECT_TRUE(digest_from_hex("zz").empty());
  EXPECT_TRUE(digest_from_hex(std::string(64, 'g')).empty());
}

TEST(JournalFacts, AResetUndoesWhatTheNodeWas) {
  JournalFacts facts;
  JournalRecord settled;
  settled.kind = RecordKind::observed;
  settled.node = kNode;
  settled.key = kSettledKey;
  facts.fold(settled, MonoTime{});
  facts.fold(intent(1, Call::apply_configuration, "pin"), MonoTime{});
  facts.fold(intent(2, Call::reset, "boot"), MonoTime{});
  ASSERT_NE(facts.last(Call::reset, kNode), nullptr);
  JournalRecord reset = settled;
  reset.key = kResetKey;
  reset.value = "boot-2";
  facts.fold(reset, MonoTime{});
  EXPECT_FALSE(facts.settled(kNode));
  EXPECT_EQ(facts.last(Call::apply_configuration, kNode), nullptr);
  EXPECT_EQ(facts.last(Call::reset, kNode), nullptr);
  ASSERT_NE(facts.came_back_in(kNode), nullptr);
  EXPECT_EQ(*facts.came_back_in(kNode), "boot-2");
  // A new config begins a new life.
  facts.fold(intent(3, Call::apply_configuration, "pin-2"), MonoTime{});
  EXPECT_EQ(facts.came_back_in(kNode), nullptr);
}

TEST(JournalFacts, ALifeEndsWithTheMachineAndNoSoonerThanItIsGone) {
  JournalFacts facts;
  facts.fold(intent(1, Call::apply_configuration, "pin"), MonoTime{});
  JournalRecord removal = intent(2, kDestroyVm, "proxmox destroy 801");
  facts.fold(removal, MonoTime{});
  removal.kind = RecordKind::outcome;
  removal.ref = 2;
  removal.outcome = OutcomeKind::refused;
  facts.fold(removal, MonoTime{});
  EXPECT_NE(facts.last(Call::apply_configuration, kNode), nullptr);
  EXPECT_FALSE(facts.is_open("proxmox destroy 801")) << "it is no object of Kubernetes";
  removal.outcome = OutcomeKind::done;
  facts.fold(removal, MonoTime{});
  EXPECT_EQ(facts.last(Call::apply_configuration, kNode), nullptr);
}

TEST(JournalFacts, AMachineThatIsMadeStartsANewLife) {
  JournalFacts facts;
  facts.fold(intent(1, Call::apply_configuration, "pin"), MonoTime{});
  JournalRecord settled;
  settled.seq = 2;
  settled.kind = RecordKind::observed;
  settled.node = kNode;
  settled.key = std::string(kSettledKey);
  facts.fold(settled, MonoTime{});
  // Others removed the machine, and no record says so.
  JournalRecord creation = intent(3, kCreateVm, "proxmox create 801");
  facts.fold(creation, MonoTime{});
  creation.kind = RecordKind::outcome;
  creation.ref = 3;
  creation.outcome = OutcomeKind::refused;
  facts.fold(creation, MonoTime{});
  EXPECT_TRUE(facts.settled(kNode));
  creation.outcome = OutcomeKind::done;
  facts.fold(creation, MonoTime{});
  EXPECT_FALSE(facts.settled(kNode));
  EXPECT_EQ(facts.last(Call::apply_configuration, kNode), nullptr);
}

TEST(JournalFacts, ACreationThatIsRecordedLateEndsNoLife) {
  JournalFacts facts;
  facts.fold(intent(1, kCreateVm, "proxmox create 801"), MonoTime{});
  facts.fold(intent(2, Call::apply_configuration, "pin"), MonoTime{});
  JournalRecord outcome;
  outcome.kind = RecordKind::outcome;
  outcome.call = kCreateVm;
  outcome.node = kNode;
  outcome.ref = 1;
  outcome.outcome = OutcomeKind::done;
  facts.fold(outcome, MonoTime{});
  EXPECT_NE(facts.last(Call::apply_configuration, kNode), nullptr);
}

TEST(JournalFacts, ANodeThatRanBeforeTheJournalIsKnownByItsBoot) {
  JournalFacts facts;
  JournalRecord bound;
  bound.kind = RecordKind::identity_bound;
  bound.node = kNode;
  Identity identity;
  identity.uuid = MachineUuid("u");
  bound.value = encode_identity(identity, Fingerprint("pin"));
  facts.fold(bound, MonoTime{});
  EXPECT_FALSE(facts.found_running(kNode));
  identity.boot_id = BootId("b");
  bound.value = encode_identity(identity, {});
  facts.fold(bound, MonoTime{});
  EXPECT_TRUE(facts.found_running(kNode));
  facts.fold(intent(4, Call::apply_configuration, "b"), MonoTime{});
  EXPECT_FALSE(facts.found_running(kNode));
}

TEST(JournalFacts, TheLastRunTellsClusterAndPlan) {
  JournalFacts facts;
  JournalRecord started;
  started.kind = RecordKind::run_started;
  started.key = "infra";
  Digest plan;
  plan.bytes[0] = 9;
  started.value = to_hex(plan);
  facts.fold(started, MonoTime{});
  EXPECT_EQ(facts.cluster(), "infra");
  EXPECT_EQ(facts.plan(), plan);
}

TEST(JournalFacts, AnUpgradeOfKubernetesIsKnownUntilEveryNodeWasReset) {
  JournalFacts facts;
  const auto observe = [&](std::string_view key, const char* node, std::string value) {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.key = key;
    record.node = NodeName(node);
    record.value = std::move(value);
    facts.fold(record, {});
  };
  for (const char* node : {"cp1", "w1"}) {
    JournalRecord bound;
    bound.kind = RecordKind::identity_bound;
    bound.node = NodeName(node);
    bound.value = "uuid=" + std::string(node);
    facts.fold(bound, {});
  }
  observe(kKubernetesKey, "", "v1.36.3");
  EXPECT_TRUE(facts.kubernetes_open());
  observe(kKubernetesDoneKey, "", "v1.36.3");
  EXPECT_FALSE(facts.kubernetes_open());
  observe(kResetKey, "cp1", "");
  EXPECT_EQ(facts.kubernetes(), "v1.36.3");
  observe(kResetKey, "w1", "");
  EXPECT_EQ(facts.kubernetes(), "") << "the next cluster starts at the profile's version";
}

}  // namespace
}  // namespace ichor
