#include "phase/restore_done.h"

#include <gtest/gtest.h>

#include "phase/bootstrap_etcd.h"
#include "phase/test_etcd.h"

namespace ichor {
namespace {

/// A restore of one snapshot into a cluster whose control planes are configured and empty.
class RestoreTest : public ThreeMembers {
 protected:
  RestoreTest() {
    snapshot_.bytes.fill(7);
    for (NodeView& node : view_.nodes) {
      node.status = MachineStatus{Stage::booting, false, {}};
      node.config_read = true;
      node.etcd = {};
      node.etcd.has_data = Known::no;
      node.etcd.service_state = "Preparing";
    }
  }

  Decision restore() const { return BootstrapEtcd(snapshot_).decide(wanted(), view_); }
  Decision bootstrap() const { return BootstrapEtcd().decide(wanted(), view_); }
  void remember_target(const char* name) {
    JournalRecord record;
    record.kind = RecordKind::bootstrap_target;
    record.node = NodeName(name);
    facts_.fold(record, now_);
  }
  void give_members(std::size_t index, std::vector<EtcdMember> members) {
    view_.nodes[index].etcd.has_data = Known::yes;
    view_.nodes[index].etcd.members = std::move(members);
  }
  void remember_restore(const Digest& snapshot) {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.key = kRestoreKey;
    record.value = snapshot.empty() ? "" : to_hex(snapshot);
    facts_.fold(record, now_);
  }
  void was_sent(Call call, OutcomeKind outcome) { sent(call, "cp1", outcome, {}, snapshot_); }

  Digest snapshot_;
};

TEST_F(RestoreTest, TheJournalKnowsOfItBeforeAnythingIsSent) {
  const Decision decision = restore();
  const Remember* remember = std::get_if<Remember>(&decision);
  ASSERT_NE(remember, nullptr);
  EXPECT_EQ(remember->record.key, kRestoreKey);
  EXPECT_EQ(digest_from_hex(remember->record.value), snapshot_);
}

TEST_F(RestoreTest, TheSnapshotIsUploadedAndThenBootstrappedFrom) {
  remember_restore(snapshot_);
  remember_target("cp1");
  Decision decision = restore();
  ASSERT_TRUE(std::holds_alternative<Act>(decision));
  EXPECT_EQ(std::get<Act>(decision).node_call().call, Call::etcd_recover);
  EXPECT_EQ(std::get<Act>(decision).node_call().payload, snapshot_);
  was_sent(Call::etcd_recover, OutcomeKind::done);
  decision = restore();
  ASSERT_TRUE(std::holds_alternative<Act>(decision));
  const NodeCall& call = std::get<Act>(decision).node_call();
  EXPECT_EQ(call.call, Call::bootstrap);
  EXPECT_TRUE(call.recover);
  EXPECT_EQ(call.payload, snapshot_);
}

TEST_F(RestoreTest, AnUploadOfUnknownOutcomeOrAnotherBootIsMadeAgain) {
  remember_restore(snapshot_);
  remember_target("cp1");
  was_sent(Call::etcd_recover, OutcomeKind::unknown);
  EXPECT_EQ(std::get<Act>(restore()).node_call().call, Call::etcd_recover);
  was_sent(Call::etcd_recover, OutcomeKind::done);
  EXPECT_EQ(std::get<Act>(restore()).node_call().call, Call::bootstrap);
  view_.nodes[0].identity->boot_id = BootId("another boot");
  EXPECT_EQ(std::get<Act>(restore()).node_call().call, Call::etcd_recover);
}

TEST_F(RestoreTest, AControlPlaneWithDataOrMembersIsRefused) {
  view_.nodes[2].etcd.has_data = Known::yes;
  Decision decision = restore();
  const Stop* stop = std::get_if<Stop>(&decision);
  ASSERT_NE(stop, nullptr);
  EXPECT_TRUE(stop->unsafe);
  EXPECT_EQ(stop->finding.node, NodeName("cp3"));
  view_.nodes[2].etcd.has_data = Known::no;
  give_members(1, {{EtcdMemberId(1), "cp1", false}});
  EXPECT_TRUE(std::holds_alternative<Stop>(restore()));
}

TEST_F(RestoreTest, ASilentControlPlaneMayStillHaveData) {
  view_.nodes[1].presence = Presence::silent;
  view_.nodes[1].etcd.has_data = Known::unknown;
  EXPECT_TRUE(std::holds_alternative<Wait>(restore()));
}

TEST_F(RestoreTest, WhatIsThereAfterOurOwnCallIsTheRestoredEtcd) {
  remember_restore(snapshot_);
  remember_target("cp1");
  was_sent(Call::etcd_recover, OutcomeKind::done);
  was_sent(Call::bootstrap, OutcomeKind::unknown);
  give_members(0, {{EtcdMemberId(1), "cp1", false}});
  EXPECT_TRUE(std::holds_alternative<Satisfied>(restore()));
}

TEST_F(RestoreTest, NoEmptyEtcdTakesThePlaceOfARestoreThatIsNotFinished) {
  remember_restore(snapshot_);
  remember_target("cp1");
  EXPECT_EQ(reported(bootstrap()), "stop E3");
  remember_restore({});
  EXPECT_EQ(std::get<Act>(bootstrap()).node_call().call, Call::bootstrap);
}

TEST_F(RestoreTest, TheEndIsNotedOnce) {
  EXPECT_EQ(reported(RestoreDone().decide(wanted(), view_)), "satisfied");
  remember_restore(snapshot_);
  const Decision decision = RestoreDone().decide(wanted(), view_);
  ASSERT_TRUE(std::holds_alternative<Remember>(decision));
  facts_.fold(std::get<Remember>(decision).record, now_);
  EXPECT_EQ(facts_.restoring(), nullptr);
}

}  // namespace
}  // namespace ichor
