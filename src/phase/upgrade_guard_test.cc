#include "phase/upgrade_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/test_upgrade.h"

namespace ichor {
namespace {

using testing::HasSubstr;

class UpgradeGuardTest : public UpgradeRig {
 protected:
  std::string said() {
    const auto decided = may_not_go_down(wanted(), control_planes(), plan_, NodeName("cp1"));
    return decided ? words_of(*decided) : "may go";
  }
};

TEST_F(UpgradeGuardTest, OneOfThreeHealthyMembersMayGo) { EXPECT_EQ(said(), "may go"); }

TEST_F(UpgradeGuardTest, NoneMayGoWhileEtcdIsNotHealthy) {
  node("cp2").etcd.service_healthy = false;
  EXPECT_THAT(said(), HasSubstr("wait etcd on cp2"));
}

TEST_F(UpgradeGuardTest, ALearnerAnAlarmAndALaggardKeepAllUp) {
  (*node("cp2").etcd.members)[2].is_learner = true;
  EXPECT_THAT(said(), HasSubstr("learner"));
  (*node("cp2").etcd.members)[2].is_learner = false;
  node("cp3").etcd.alarms->push_back({EtcdMemberId(3), EtcdAlarmKind::no_space});
  EXPECT_EQ(said(), "stop E9");
  node("cp3").etcd.alarms->clear();
  node("cp1").etcd.status->raft_applied_index = 100'000;
  EXPECT_THAT(said(), HasSubstr("behind"));
}

TEST_F(UpgradeGuardTest, ListsThatDifferAreNoBasisForAQuorum) {
  (*node("cp3").etcd.members)[0].hostname = "other";
  EXPECT_THAT(said(), HasSubstr("lists other members"));
}

TEST_F(UpgradeGuardTest, TwoMembersTolerateNoneAndSoTheOperatorIsAsked) {
  leave_out("cp3");
  EXPECT_EQ(said(), "stop U7");
  plan_.downtime = true;
  EXPECT_EQ(said(), "may go");
}

TEST_F(UpgradeGuardTest, TheAnswerIsAsOldAsTheOldestLook) {
  node("cp2").at = now_ - std::chrono::seconds(20);
  EXPECT_EQ(sound_until(control_planes()), now_ - std::chrono::seconds(20) + kFreshTime);
}

}  // namespace
}  // namespace ichor
