#include "phase/forget_member.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "phase/forget_machine.h"
#include "phase/test_etcd.h"

namespace ichor {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

/// cp3 is dead and still a member.
class ForgetMemberTest : public ThreeMembers {
 protected:
  ForgetMemberTest() {
    for (NodeView& node : view_.nodes) node.at = now_;
    silence(2);
  }
  void silence(std::size_t index) {
    NodeView& node = view_.nodes[index];
    node.presence = Presence::silent;
    node.identity.reset();
    node.status.reset();
    node.etcd = {};
  }
  Decision decide() const { return ForgetMember(plan_).decide(wanted(), view_); }
  std::string decided() const { return reported(decide()); }
  void remove_cp3() {
    for (std::size_t i : {0u, 1u}) view_.nodes[i].etcd.members->pop_back();
  }

  ForgetPlan plan_{NodeName("cp3"), true};
};

TEST_F(ForgetMemberTest, ADeadMemberGoesThroughAHealthyOne) {
  const Decision decision = decide();
  ASSERT_EQ(reported(decision), "act EtcdRemoveMemberByID cp1");
  const NodeCall& call = std::get<Act>(decision).node_call();
  EXPECT_EQ(call.member, EtcdMemberId(3));
  EXPECT_EQ(call.sound_until, now_ + kFreshTime);
  remove_cp3();
  EXPECT_EQ(decided(), "satisfied");
}

TEST_F(ForgetMemberTest, AMachineThatAnswersIsNotDead) {
  view_.nodes[2].presence = Presence::configured;
  EXPECT_EQ(decided(), "stop E8");
  plan_.dead = false;
  EXPECT_THAT(decided(), StartsWith("wait cp3 still answers"));
}

TEST_F(ForgetMemberTest, WithoutTheOperatorsWordASilentMachineMayComeBack) {
  plan_.dead = false;
  EXPECT_THAT(decided(), HasSubstr("whether cp3 was reset is not known"));
  JournalRecord reset;
  reset.kind = RecordKind::observed;
  reset.key = kResetKey;
  reset.node = NodeName("cp3");
  facts_.fold(reset, now_);
  EXPECT_EQ(decided(), "act EtcdRemoveMemberByID cp1");
}

TEST_F(ForgetMemberTest, QuorumIsNeededBeforeAndAfter) {
  silence(1);
  EXPECT_THAT(decided(), HasSubstr("1 of 3 voters are healthy without cp3; 2 are needed"));
}

TEST_F(ForgetMemberTest, AVoterWithoutALeaderDoesNotCount) {
  status(1).leader = EtcdMemberId{};
  EXPECT_THAT(decided(), HasSubstr("1 of 3 voters"));
}

TEST_F(ForgetMemberTest, TheOthersMustListTheSameMembers) {
  std::swap((*view_.nodes[1].etcd.members)[0], (*view_.nodes[1].etcd.members)[1]);
  EXPECT_EQ(decided(), "act EtcdRemoveMemberByID cp1") << "the order does not matter";
  view_.nodes[1].etcd.members->pop_back();
  EXPECT_THAT(decided(), HasSubstr("list different members"));
}

TEST_F(ForgetMemberTest, AMemberOfAnotherNameIsNeverTaken) {
  for (std::size_t i : {0u, 1u}) view_.nodes[i].etcd.members->back().hostname = "cp9";
  EXPECT_EQ(decided(), "satisfied");
}

TEST_F(ForgetMemberTest, AnUnknownOutcomeIsLookedAtAgainFirst) {
  sent(Call::etcd_remove_member, "cp1", OutcomeKind::unknown, seconds(3));
  EXPECT_THAT(decided(), HasSubstr("is not known yet"));
  sent(Call::etcd_remove_member, "cp1", OutcomeKind::unknown, kSettleTime);
  EXPECT_EQ(decided(), "act EtcdRemoveMemberByID cp1");
}

TEST_F(ForgetMemberTest, AMachineThatWasRemovedIsForgottenOnce) {
  JournalRecord bound;
  bound.kind = RecordKind::identity_bound;
  bound.node = NodeName("cp3");
  bound.value = "uuid=u-3;serial=;macs=;boot=;pin=";
  facts_.fold(bound, now_);
  const Decision decision = ForgetMachine(NodeName("cp3")).decide(wanted(), view_);
  ASSERT_TRUE(std::holds_alternative<Remember>(decision));
  facts_.fold(std::get<Remember>(decision).record, now_);
  EXPECT_EQ(facts_.bound(NodeName("cp3")), nullptr);
  EXPECT_EQ(reported(ForgetMachine(NodeName("cp3")).decide(wanted(), view_)), "satisfied");
}

TEST_F(ForgetMemberTest, OfTwoMembersTheHealthyOneCannotDecideAlone) {
  for (std::size_t i : {0u, 1u}) {
    auto& members = *view_.nodes[i].etcd.members;
    members.erase(members.begin() + 1);
  }
  silence(1);
  EXPECT_THAT(decided(), HasSubstr("1 of 2 voters"));
}

}  // namespace
}  // namespace ichor
