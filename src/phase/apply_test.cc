#include "phase/apply.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

using std::chrono::seconds;

Digest digest(std::uint8_t value) {
  Digest made;
  made.bytes[0] = value;
  return made;
}

class ApplyTest : public testing::Test {
 protected:
  ApplyTest() {
    plan_.name = NodeName("w1");
    configs_.nodes[plan_.name] = {SecretString("config"), digest(1), digest(2), Role::worker};
    view_.node = plan_.name;
    view_.identity = Identity{MachineUuid("u"), {}, {MacAddress("m")}, {}};
  }
  void in_maintenance(const char* fingerprint) {
    view_.presence = Presence::maintenance;
    view_.fingerprint = Fingerprint(fingerprint);
    view_.status = MachineStatus{Stage::maintenance, true, {}};
    view_.config_read = true;
  }
  void configured(Stage stage, Digest config) {
    view_.presence = Presence::configured;
    view_.status = MachineStatus{stage, false, {}};
    view_.config_read = true;
    view_.config = config;
  }
  void sent(const char* fingerprint, OutcomeKind outcome, Duration ago) {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.call = Call::apply_configuration;
    record.node = plan_.name;
    record.key = fingerprint;
    record.seq = 3;
    facts_.fold(record, now_ - ago);
    record.kind = RecordKind::outcome;
    record.ref = 3;
    record.outcome = outcome;
    facts_.fold(record, now_ - ago);
  }
  void settled(std::uint64_t seq = 1) {
    JournalRecord record;
    record.seq = seq;
    record.kind = RecordKind::observed;
    record.node = plan_.name;
    record.key = kSettledKey;
    facts_.fold(record, now_);
  }
  Decision decide() const {
    return Apply().decide(Wanted{profile_, configs_, facts_, now_}, plan_, view_);
  }
  template <class T>
  bool decides() const {
    return std::holds_alternative<T>(decide());
  }

  MonoTime now_{seconds(1000)};
  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  NodePlan plan_;
  NodeView view_;
};

TEST_F(ApplyTest, SendsTheConfigToANodeWithoutOne) {
  in_maintenance("key-1");
  const Decision decision = decide();
  const Act* act = std::get_if<Act>(&decision);
  ASSERT_NE(act, nullptr);
  EXPECT_EQ(act->node_call().payload, digest(1));
  EXPECT_EQ(act->node_call().node, plan_.name);
}

TEST_F(ApplyTest, DoesNotActOnALookThatWasNotAnswered) {
  in_maintenance("key-1");
  view_.status.reset();
  EXPECT_TRUE(decides<Wait>());
}

TEST_F(ApplyTest, AConfigThatMayHaveLandedIsNotSentAgain) {
  in_maintenance("key-1");
  for (const OutcomeKind outcome : {OutcomeKind::done, OutcomeKind::unknown}) {
    sent("key-1", outcome, seconds(5));
    EXPECT_TRUE(decides<Wait>()) << name_of(outcome);
  }
}

TEST_F(ApplyTest, ARefusedConfigMayBeSentAgain) {
  in_maintenance("key-1");
  sent("key-1", OutcomeKind::refused, seconds(1));
  EXPECT_TRUE(decides<Act>());
}

TEST_F(ApplyTest, ANodeThatRebootedWithoutTheConfigGetsItAgain) {
  in_maintenance("key-2");
  sent("key-1", OutcomeKind::done, seconds(5));
  EXPECT_TRUE(decides<Wait>()) << "another key may be the same boot";
  sent("key-1", OutcomeKind::done, seconds(21));
  EXPECT_TRUE(decides<Act>());
}

TEST_F(ApplyTest, ANodeThatRunsTheConfigIsLeftAlone) {
  configured(Stage::running, digest(2));
  settled();
  EXPECT_TRUE(decides<Satisfied>());
}

TEST_F(ApplyTest, TheInstallIsRememberedBeforeThePhaseIsOver) {
  configured(Stage::booting, digest(2));
  EXPECT_TRUE(decides<Remember>());
}

TEST_F(ApplyTest, AnInstallingNodeIsWaitedFor) {
  configured(Stage::installing, digest(2));
  EXPECT_TRUE(decides<Wait>());
}

TEST_F(ApplyTest, AnotherConfigIsNotTouched) {
  configured(Stage::running, digest(9));
  const Decision decision = decide();
  const Stop* stop = std::get_if<Stop>(&decision);
  ASSERT_NE(stop, nullptr);
  EXPECT_EQ(stop->finding.id, "T4");
  EXPECT_TRUE(stop->unsafe);
}

TEST_F(ApplyTest, AnInstalledNodeNeverGetsAConfigInMaintenanceModeAgain) {
  in_maintenance("key-3");
  settled();
  const Decision decision = decide();
  const Stop* stop = std::get_if<Stop>(&decision);
  ASSERT_NE(stop, nullptr);
  EXPECT_EQ(stop->finding.id, "T2");
}

TEST_F(ApplyTest, ANodeThatRefusesAfterItsConfigMayFailToPullItsImage) {
  view_.presence = Presence::silent;
  view_.trouble = CallError{Call::open, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
                            "connection refused"};
  EXPECT_EQ(std::get<Wait>(decide()).fault, "") << "it was sent nothing";
  sent("key-1", OutcomeKind::done, seconds(100));
  const Wait wait = std::get<Wait>(decide());
  EXPECT_EQ(wait.fault, "D2");
  EXPECT_FALSE(wait.fix.empty());
  view_.trouble->code = Code::deadline_exceeded;
  EXPECT_EQ(std::get<Wait>(decide()).fault, "") << "nothing listens at all: the network, or power";
  view_.trouble->code = Code::unavailable;
  settled();
  EXPECT_EQ(std::get<Wait>(decide()).fault, "") << "it was installed before";
}

/// The node has got a config of an earlier form of the profile.
class EditTest : public ApplyTest {
 protected:
  EditTest() {
    plan_.role = Role::control_plane;
    profile_.nodes = {plan_};
    configured(Stage::running, digest(9));
    view_.etcd.has_data = Known::no;
    settled();
    sent_config(digest(7), OutcomeKind::done);
  }
  void sent_config(const Digest& payload, OutcomeKind outcome, Duration ago = seconds(100)) {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.call = Call::apply_configuration;
    record.node = plan_.name;
    record.seq = ++seq_;
    record.value = to_hex(payload);
    facts_.fold(record, now_ - ago);
    record.kind = RecordKind::outcome;
    record.ref = seq_;
    record.outcome = outcome;
    facts_.fold(record, now_ - ago);
  }
  const NodeCall* action() {
    decision_ = decide();
    const Act* act = std::get_if<Act>(&decision_);
    return act ? &act->node_call() : nullptr;
  }

  std::uint64_t seq_{10};
  Decision decision_;
};

TEST_F(EditTest, BeforeBootstrapTheChangedConfigIsSimplyApplied) {
  ASSERT_NE(action(), nullptr);
  EXPECT_EQ(action()->payload, digest(1));
  EXPECT_FALSE(action()->no_reboot);
}

TEST_F(EditTest, OnceThereMayBeAnEtcdNothingIsRebooted) {
  for (const Known data : {Known::yes, Known::unknown}) {
    view_.etcd.has_data = data;
    ASSERT_NE(action(), nullptr);
    EXPECT_TRUE(action()->no_reboot);
  }
  view_.etcd.has_data = Known::no;
  JournalRecord target;
  target.kind = RecordKind::bootstrap_target;
  target.node = plan_.name;
  facts_.fold(target, now_);
  ASSERT_NE(action(), nullptr);
  EXPECT_TRUE(action()->no_reboot);
}

TEST_F(EditTest, WorkersGetTheirEditsBeforeThereIsAnEtcd) {
  const auto decide_edits = [this] {
    return ApplyEdits().decide(Wanted{profile_, configs_, facts_, now_}, plan_, view_);
  };
  plan_.role = Role::worker;
  const Decision decision = decide_edits();
  ASSERT_TRUE(std::holds_alternative<Act>(decision));
  EXPECT_FALSE(std::get<Act>(decision).node_call().no_reboot);
  view_.presence = Presence::maintenance;
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide_edits())) << "that is for Apply";
  view_.presence = Presence::configured;
  JournalRecord target;
  target.kind = RecordKind::bootstrap_target;
  target.node = NodeName("cp1");
  facts_.fold(target, now_);
  EXPECT_TRUE(std::holds_alternative<Satisfied>(decide_edits()));
}

TEST_F(EditTest, AnInstallIsNotInterrupted) {
  view_.status->stage = Stage::installing;
  EXPECT_TRUE(decides<Wait>());
}

TEST_F(EditTest, TheChangeIsGivenTimeAndSentAgainIfItWasLost) {
  sent_config(digest(1), OutcomeKind::unknown, seconds(5));
  EXPECT_TRUE(decides<Wait>());
  sent_config(digest(1), OutcomeKind::unknown, seconds(50));
  EXPECT_TRUE(decides<Act>());
  sent_config(digest(1), OutcomeKind::refused, seconds(1));
  EXPECT_TRUE(decides<Act>());
}

TEST_F(EditTest, AConfigThatWasChangedOutsideIsNotTouched) {
  // What was sent is what is wanted, and the node has another one.
  sent_config(digest(1), OutcomeKind::done);
  EXPECT_EQ(std::get<Stop>(decide()).finding.id, "O4");
}

TEST_F(EditTest, AnUnansweredChangeThatTheNodeWasSeenToRunIsNotSentAgain) {
  sent_config(digest(1), OutcomeKind::unknown, seconds(50));
  configured(Stage::running, digest(2));
  EXPECT_TRUE(decides<Remember>()) << "the answer was lost, so a look must confirm it";
  settled(seq_ + 1);
  EXPECT_TRUE(decides<Satisfied>());
  configured(Stage::running, digest(9));
  EXPECT_EQ(std::get<Stop>(decide()).finding.id, "O4") << "it was changed outside ichor since";
}

TEST_F(ApplyTest, BesideAClusterOlderThanTheJournalNothingIsInstalled) {
  in_maintenance("key-1");
  NodePlan other;
  other.name = NodeName("cp1");
  profile_.nodes = {other, plan_};
  JournalRecord bound;
  bound.kind = RecordKind::identity_bound;
  bound.node = other.name;
  bound.value = encode_identity({MachineUuid("x"), {}, {}, BootId("b")}, {});
  facts_.fold(bound, now_);
  EXPECT_EQ(std::get<Stop>(decide()).finding.id, "L6");
  JournalRecord adopted;
  adopted.kind = RecordKind::observed;
  adopted.key = kAdoptedKey;
  facts_.fold(adopted, now_);
  EXPECT_TRUE(decides<Act>());
}

TEST_F(ApplyTest, ANodeIsNotSettledBeforeItHasInstalledItself) {
  configured(Stage::booting, digest(2));
  view_.status->install = UnattendedInstall{UnattendedInstall::Phase::installing, {}};
  EXPECT_TRUE(decides<Wait>());
  view_.status->install.reset();
  EXPECT_TRUE(decides<Remember>());
}

TEST_F(ApplyTest, AClusterThatWasUpgradedIsNotTakenBackToTheProfilesKubernetes) {
  const auto upgraded = [&](std::string_view key) {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.key = key;
    record.value = "v1.36.3";
    facts_.fold(record, now_);
  };
  const auto finding = [&] { return std::get<Stop>(decide()).finding.id; };
  sent("boot", OutcomeKind::done, seconds(100));
  settled(9);
  configured(Stage::running, digest(7));
  profile_.talos.kubernetes_version = "v1.35.2";
  EXPECT_EQ(finding(), "O4") << "a config that another tool sent";
  upgraded(kKubernetesDoneKey);
  EXPECT_EQ(finding(), "U13");
  profile_.talos.kubernetes_version = "v1.36.3";
  EXPECT_EQ(finding(), "O4");
  upgraded(kKubernetesKey);
  EXPECT_EQ(finding(), "U13") << "an upgrade that has not ended goes on node by node";
  in_maintenance("key-2");
  facts_ = {};
  upgraded(kKubernetesDoneKey);
  profile_.talos.kubernetes_version = "v1.35.2";
  EXPECT_TRUE(decides<Stop>()) << "nor does a new node start with the old version";
}

TEST_F(ApplyTest, KubernetesIsWhatTheConfigSaysAndNotOnlyTheProfile) {
  JournalRecord upgraded;
  upgraded.kind = RecordKind::observed;
  upgraded.key = kKubernetesDoneKey;
  upgraded.value = "v1.36.3";
  const auto config_for = [&](const std::string& version) {
    configs_.nodes[plan_.name].bytes =
        SecretString("machine: {kubelet: {image: 'ghcr.io/siderolabs/kubelet:" + version + "'}}");
  };
  sent("boot", OutcomeKind::done, seconds(100));
  settled(9);
  configured(Stage::running, digest(7));
  facts_.fold(upgraded, now_);
  profile_.talos.kubernetes_version = "";
  config_for("v1.35.2");
  EXPECT_EQ(std::get<Stop>(decide()).finding.id, "U13") << "a default of the contract";
  config_for("v1.37.0");
  const Finding ahead = std::get<Stop>(decide()).finding;
  EXPECT_EQ(ahead.id, "U13") << "that is an upgrade, too";
  EXPECT_THAT(ahead.fix, testing::HasSubstr("ichor upgrade-k8s --to v1.37.0"));
  config_for("v1.36.3");
  EXPECT_EQ(std::get<Stop>(decide()).finding.id, "O4") << "another tool's config";
}

TEST_F(ApplyTest, ANodeThatFellBackDuringAnUpgradeOfKubernetesIsInstalledAgain) {
  JournalRecord started;
  started.kind = RecordKind::observed;
  started.key = kKubernetesKey;
  started.value = "v1.36.3";
  facts_.fold(started, now_);
  in_maintenance("key-2");
  profile_.talos.kubernetes_version = "v1.35.2";
  EXPECT_TRUE(decides<Stop>());
  profile_.talos.kubernetes_version = "v1.36.3";
  EXPECT_TRUE(decides<Act>()) << "only its config brings it back";
}

}  // namespace
}  // namespace ichor
