#include "phase/upgrade_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/test_upgrade.h"

namespace ichor {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

class UpgradeNodeTest : public UpgradeRig {
 protected:
  NodeUpgrade upgrade() { return {plan_, now_wanted(), plan_of("w1"), node("w1")}; }
  /// NodeUpgrade keeps a reference to it.
  const Wanted& now_wanted() {
    held_.clear();
    held_.push_back(wanted());
    return held_.front();
  }
  std::string next() {
    return words_of(upgrade().next([this] { return guard_; }));
  }
  void cordon() {
    sent(Call::cordon, "w1", OutcomeKind::done);
    node("w1").kube->cordoned = true;
  }
  PodOnNode& pod(const std::string& name) {
    node("w1").kube->pods.push_back({"apps", name, "uid-" + name, false, {}});
    return node("w1").kube->pods.back();
  }
  void use_lifecycle() {
    plan_.target = {1, 13, 10};
    node("w1").version = TalosVersion{1, 13, 9};
  }

  std::optional<Decision> guard_;
  std::vector<Wanted> held_;
};

TEST_F(UpgradeNodeTest, ANodeIsCordonedDrainedInstalledAndGivenBack) {
  EXPECT_EQ(next(), "cordon w1");
  cordon();
  pod("web");
  EXPECT_EQ(next(), "eviction w1");
  node("w1").kube->pods[0].leaving = true;
  EXPECT_THAT(next(), HasSubstr("apps/web: its grace period runs"));
  node("w1").kube->pods.clear();
  EXPECT_EQ(next(), "Upgrade w1");
  sent(Call::upgrade, "w1", OutcomeKind::done);
  EXPECT_THAT(next(), HasSubstr("accepted the upgrade"));
  boots("w1", plan_.target);
  EXPECT_EQ(next(), "uncordon w1");
  EXPECT_FALSE(upgrade().done());
  sent(Call::uncordon, "w1", OutcomeKind::done);
  node("w1").kube->cordoned = false;
  EXPECT_EQ(next(), "satisfied");
  EXPECT_TRUE(upgrade().done());
}

TEST_F(UpgradeNodeTest, ThroughTheLifecycleServiceTheRebootIsACallOfItsOwn) {
  use_lifecycle();
  cordon();
  EXPECT_EQ(next(), "Upgrade w1");
  sent(Call::upgrade, "w1", OutcomeKind::done);
  EXPECT_EQ(next(), "Reboot w1");
  sent(Call::reboot, "w1", OutcomeKind::done);
  EXPECT_THAT(next(), HasSubstr("reboots"));
}

TEST_F(UpgradeNodeTest, NothingTakesANodeDownWhileTheGuardSaysNo) {
  guard_ = Decision{Wait{"etcd is not healthy"}};
  EXPECT_EQ(next(), "wait etcd is not healthy");
  cordon();
  EXPECT_EQ(next(), "wait etcd is not healthy");
  use_lifecycle();
  sent(Call::upgrade, "w1", OutcomeKind::done);
  EXPECT_EQ(next(), "wait etcd is not healthy") << "installed, not booted";
}

TEST_F(UpgradeNodeTest, ABudgetThatAllowsNothingIsNamedAndWaitedForNotForEver) {
  cordon();
  pod("db").blocked_by = "apps/db (1 of 1 pods are healthy, it wants 1)";
  const Decision decision = upgrade().next([] { return std::nullopt; });
  const Wait* wait = std::get_if<Wait>(&decision);
  ASSERT_NE(wait, nullptr);
  EXPECT_THAT(wait->reason, HasSubstr("PodDisruptionBudget apps/db"));
  EXPECT_EQ(wait->fault, "U2");
  EXPECT_EQ(wait->limit, profile_.budgets.drain);
}

TEST_F(UpgradeNodeTest, OtherPodsLeaveBeforeTheBlockedOneIsWaitedFor) {
  cordon();
  pod("db").blocked_by = "apps/db";
  pod("web");
  const Decision decision = upgrade().next([] { return std::nullopt; });
  const Act* act = std::get_if<Act>(&decision);
  ASSERT_NE(act, nullptr);
  ASSERT_EQ(act->node_call().pods.size(), 1u);
  EXPECT_EQ(act->node_call().pods.front().name, "web");
}

TEST_F(UpgradeNodeTest, WithoutADrainTheKubernetesApiIsNotAsked) {
  plan_.drain = false;
  node("w1").kube.reset();
  EXPECT_EQ(next(), "Upgrade w1");
  boots("w1", plan_.target);
  EXPECT_EQ(next(), "satisfied");
}

TEST_F(UpgradeNodeTest, WithADrainTheKubernetesApiIsWaitedFor) {
  node("w1").kube.reset();
  node("w1").kube_trouble = "connection refused";
  EXPECT_THAT(next(), HasSubstr("does not show w1: connection refused"));
}

TEST_F(UpgradeNodeTest, ACordonOfTheOperatorStays) {
  node("w1").kube->cordoned = true;
  EXPECT_EQ(next(), "Upgrade w1");
  sent(Call::upgrade, "w1", OutcomeKind::done);
  boots("w1", plan_.target);
  EXPECT_EQ(next(), "satisfied");
}

TEST_F(UpgradeNodeTest, TheOldVersionInANewBootIsAFallBackAndStopsTheRollout) {
  cordon();
  sent(Call::upgrade, "w1", OutcomeKind::done);
  boots("w1", {1, 12, 6});
  EXPECT_EQ(next(), "remember fell back w1");
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = NodeName("w1");
  record.key = kFellBackKey;
  record.value = "w1 fell back";
  facts_.fold(record, now_);
  EXPECT_EQ(next(), "uncordon w1") << "it works, on its old version";
  sent(Call::uncordon, "w1", OutcomeKind::done);
  node("w1").kube->cordoned = false;
  EXPECT_EQ(next(), "stop U3");
  JournalRecord again;
  again.kind = RecordKind::run_started;
  again.key = "infra";
  facts_.fold(again, now_);
  EXPECT_EQ(next(), "cordon w1") << "the next run tries again";
}

TEST_F(UpgradeNodeTest, TheRightVersionOfAnotherSchematicIsNotTheGoal) {
  const std::string schematic(64, 'a');
  plan_.schematic = schematic;
  boots("w1", plan_.target);
  EXPECT_FALSE(upgrade().runs_target());
  node("w1").upgrade->schematic = schematic;
  EXPECT_TRUE(upgrade().done());
}

TEST_F(UpgradeNodeTest, ABootThatIsNotConfirmedIsNoSuccessYet) {
  boots("w1", plan_.target);
  node("w1").upgrade->pending = true;
  EXPECT_THAT(next(), HasSubstr("has not confirmed the boot"));
  node("w1").upgrade->pending = false;
  node("w1").status->ready = false;
  EXPECT_THAT(next(), HasSubstr("runs v1.12.7 and is running"));
  node("w1").status->ready = true;
  node("w1").kube->ready = false;
  EXPECT_THAT(next(), HasSubstr("not Ready"));
}

TEST_F(UpgradeNodeTest, AnInstallWhoseEndWasNotHeardIsNotSentAgainAtOnce) {
  use_lifecycle();
  plan_.drain = false;
  started(Call::upgrade, "w1");
  EXPECT_THAT(next(), HasSubstr("was not heard"));
  node("w1").upgrade->pending = true;
  EXPECT_EQ(next(), "Reboot w1") << "the mark says that it has ended well";
  node("w1").upgrade->pending = false;
  now_ += minutes(11);
  EXPECT_EQ(next(), "Upgrade w1");
}

TEST_F(UpgradeNodeTest, ANodeThatWentDownBeforeItsInstallEndedIsInstalledAgain) {
  use_lifecycle();
  plan_.drain = false;
  started(Call::upgrade, "w1");
  boots("w1", {1, 13, 9});
  EXPECT_EQ(next(), "Upgrade w1");
}

TEST_F(UpgradeNodeTest, AnImageThatAnotherClientInstalledIsNotBootedByUs) {
  node("w1").upgrade->pending = true;
  EXPECT_EQ(next(), "stop U8");
}

TEST_F(UpgradeNodeTest, ANodeThatIsAwayByOurDoingIsWaitedFor) {
  sent(Call::upgrade, "w1", OutcomeKind::done);
  node("w1").presence = Presence::silent;
  EXPECT_EQ(next(), "wait w1 is away: it reboots");
  EXPECT_TRUE(upgrade().under_way());
}

TEST_F(UpgradeNodeTest, ANodeThatKubernetesDoesNotKnowHasNothingToDrain) {
  node("w1").kube->uid.clear();
  node("w1").kube->ready = false;
  EXPECT_EQ(next(), "Upgrade w1");
}

}  // namespace
}  // namespace ichor
