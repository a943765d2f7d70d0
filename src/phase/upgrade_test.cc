#include "phase/upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/test_upgrade.h"

namespace ichor {
namespace {

using testing::HasSubstr;

class UpgradeTest : public UpgradeRig {
 protected:
  std::string check() { return words_of(UpgradeCheck(plan_).decide(wanted(), view_)); }
  std::string control_plane() {
    return words_of(UpgradeControlPlanes(plan_).decide(wanted(), control_planes()));
  }
  void finish(const std::string& name) {
    sent(Call::upgrade, name, OutcomeKind::done);
    boots(name, plan_.target);
  }
};

TEST_F(UpgradeTest, WhatCannotGoWellIsRefusedBeforeAnythingIsChanged) {
  EXPECT_EQ(check(), "satisfied");
  node("w1").version = TalosVersion{1, 10, 0};
  node("w2").upgrade->extensions = {"iscsi-tools"};
  const Decision decision = UpgradeCheck(plan_).decide(wanted(), view_);
  const Stop* stop = std::get_if<Stop>(&decision);
  ASSERT_NE(stop, nullptr);
  EXPECT_TRUE(stop->unsafe);
  EXPECT_EQ(stop->finding.id, "U5");
  ASSERT_EQ(stop->more.size(), 1u) << "all of it is said at once";
  EXPECT_EQ(stop->more.front().id, "U6");
}

TEST_F(UpgradeTest, AQuorumThatWouldBeLostIsRefusedAtOnce) {
  leave_out("cp2");
  EXPECT_EQ(check(), "stop U7");
  plan_.nodes = {NodeName("w1")};
  EXPECT_EQ(check(), "satisfied") << "no control plane goes down";
}

TEST_F(UpgradeTest, AContainerHasNoImageToBoot) {
  node("w1").hardware.emplace();
  node("w1").hardware->container = true;
  EXPECT_EQ(check(), "stop A3");
}

TEST_F(UpgradeTest, AMachineThatTheJournalDoesNotKnowIsBoundFirst) {
  facts_ = {};
  EXPECT_EQ(check(), "remember  cp1");
}

TEST_F(UpgradeTest, EveryNodeGetsTheImageOnceInABoot) {
  const PullImage pull(plan_);
  EXPECT_EQ(words_of(pull.decide(wanted(), plan_of("w1"), node("w1"))), "ImagePull w1");
  sent(Call::pull_image, "w1", OutcomeKind::done);
  EXPECT_EQ(words_of(pull.decide(wanted(), plan_of("w1"), node("w1"))), "satisfied");
  boots("w1", {1, 12, 6});
  EXPECT_EQ(words_of(pull.decide(wanted(), plan_of("w1"), node("w1"))), "ImagePull w1");
  boots("w1", plan_.target);
  EXPECT_EQ(words_of(pull.decide(wanted(), plan_of("w1"), node("w1"))), "satisfied");
  plan_.nodes.erase(NodeName("w2"));
  EXPECT_EQ(words_of(PullImage(plan_).decide(wanted(), plan_of("w2"), node("w2"))), "satisfied");
}

TEST_F(UpgradeTest, ControlPlanesGoOneAfterAnotherAndTheLeaderLast) {
  plan_.drain = false;
  EXPECT_EQ(control_plane(), "Upgrade cp2") << "cp1 leads";
  sent(Call::upgrade, "cp2", OutcomeKind::done);
  node("cp2").presence = Presence::silent;
  EXPECT_EQ(control_plane(), "wait cp2 is away: it reboots");
  node("cp2").presence = Presence::configured;
  boots("cp2", plan_.target);
  EXPECT_EQ(control_plane(), "Upgrade cp3");
  finish("cp3");
  EXPECT_EQ(control_plane(), "EtcdForfeitLeadership cp1");
  sent(Call::etcd_forfeit_leadership, "cp1", OutcomeKind::done);
  EXPECT_EQ(control_plane(), "Upgrade cp1") << "asked once, whoever leads now";
  finish("cp1");
  EXPECT_EQ(control_plane(), "satisfied");
  node("cp1").etcd.service_healthy = false;
  EXPECT_THAT(control_plane(), HasSubstr("etcd on cp1 is not healthy"));
}

TEST_F(UpgradeTest, ASecondControlPlaneWaitsForEtcdAfterTheFirst) {
  plan_.drain = false;
  finish("cp2");
  node("cp2").etcd.service_healthy = false;
  EXPECT_THAT(control_plane(), HasSubstr("wait etcd on cp2"));
}

TEST_F(UpgradeTest, WhatWasStartedIsFinishedBeforeAnotherOneGoes) {
  sent(Call::cordon, "cp3", OutcomeKind::done);
  node("cp3").kube->cordoned = true;
  EXPECT_EQ(control_plane(), "Upgrade cp3");
}

TEST_F(UpgradeTest, WhatTakesAControlPlaneDownIsSentOnlyWhileTheLookAtEtcdCounts) {
  plan_.drain = false;
  const Decision decision = UpgradeControlPlanes(plan_).decide(wanted(), control_planes());
  EXPECT_EQ(std::get<Act>(decision).node_call().sound_until, now_ + kFreshTime);
}

TEST_F(UpgradeTest, OnlyTheNamedNodesAreTouched) {
  plan_.nodes = {NodeName("w1")};
  EXPECT_EQ(control_plane(), "satisfied");
  EXPECT_EQ(words_of(UpgradeWorker(plan_).decide(wanted(), plan_of("w2"), node("w2"))),
            "satisfied");
  EXPECT_EQ(words_of(UpgradeWorker(plan_).decide(wanted(), plan_of("w1"), node("w1"))),
            "cordon w1");
}

TEST_F(UpgradeTest, TheEndLooksAtAllNodesAtOnce) {
  const Upgraded end(plan_);
  EXPECT_THAT(words_of(end.decide(wanted(), view_)), HasSubstr("cp1 runs v1.12.6"));
  for (const char* name : {"cp1", "cp2", "cp3", "w1", "w2"}) boots(name, plan_.target);
  EXPECT_EQ(words_of(end.decide(wanted(), view_)), "satisfied");
  node("cp3").etcd.alarms->push_back({EtcdMemberId(3), EtcdAlarmKind::no_space});
  EXPECT_EQ(words_of(end.decide(wanted(), view_)), "stop E9");
}

TEST_F(UpgradeTest, TheStepsSayWhoWaitsForWhom) {
  const std::vector<Step> steps = upgrade_steps(plan_);
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[1].needs, Milestone::upgrade_checked);
  EXPECT_EQ(steps[2].needs, Milestone::images_pulled);
  EXPECT_EQ(steps[3].needs, Milestone::control_planes_upgraded);
  EXPECT_TRUE(steps[3].limited && steps[3].first_failure_stops);
}

}  // namespace
}  // namespace ichor
