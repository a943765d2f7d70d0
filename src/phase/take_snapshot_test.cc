#include "phase/take_snapshot.h"

#include <gtest/gtest.h>

#include "phase/test_upgrade.h"
#include "phase/upgrade.h"

namespace ichor {
namespace {

class TakeSnapshotTest : public UpgradeRig {
 protected:
  TakeSnapshotTest() { plan_.snapshot = true; }

  std::string decide() { return words_of(TakeSnapshot(plan_).decide(wanted(), view_)); }
  void taken(const std::string& value) {
    JournalRecord record;
    record.kind = RecordKind::observed;
    record.key = kSnapshotKey;
    record.value = value;
    facts_.fold(record, now_);
  }
};

TEST_F(TakeSnapshotTest, IsTakenOnceBeforeTheFirstNodeIsChanged) {
  EXPECT_EQ(decide(), "EtcdSnapshot cp2") << "cp1 leads";
  taken("v1.12.7 /state/a.db");
  EXPECT_EQ(decide(), "satisfied");
  plan_.lost_snapshot = "/state/a.db";
  EXPECT_EQ(decide(), "EtcdSnapshot cp2") << "that file is gone";
  taken("v1.12.7 /state/b.db");
  EXPECT_EQ(decide(), "satisfied");
}

TEST_F(TakeSnapshotTest, OneOfAnotherUpgradeDoesNotCount) {
  taken("v1.12.70 /state/a.db");
  EXPECT_EQ(decide(), "EtcdSnapshot cp2");
}

TEST_F(TakeSnapshotTest, AClusterThatCannotBeSnapshottedIsNotChanged) {
  for (NodeView& one : view_.nodes) one.etcd = {};
  const Decision decision = TakeSnapshot(plan_).decide(wanted(), view_);
  const Wait* wait = std::get_if<Wait>(&decision);
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->fault, "E8");
  EXPECT_LT(wait->limit, Duration::max()) << "it ends as a stop";
}

TEST_F(TakeSnapshotTest, NothingIsTakenForNothing) {
  for (NodeView& one : view_.nodes) one.version = plan_.target;
  EXPECT_EQ(decide(), "satisfied");
}

TEST_F(TakeSnapshotTest, ComesAfterThePullAndBeforeTheFirstCordon) {
  std::vector<std::string> names;
  for (const Step& step : in_execution_order(upgrade_steps(plan_))) {
    names.emplace_back(step.phase->name());
  }
  const std::vector<std::string> expected = {"upgrade check",   "pull image",
                                             "snapshot",        "upgrade control planes",
                                             "upgrade workers", "upgraded"};
  EXPECT_EQ(names, expected);
}

TEST_F(TakeSnapshotTest, AFinishedUpgradeLeavesNoneToTheNext) {
  for (NodeView& one : view_.nodes) one.version = plan_.target;
  taken("v1.12.7 /state/a.db");
  EXPECT_EQ(words_of(Upgraded(plan_).decide(wanted(), view_)), "remember snapshot ");
  taken("");
  EXPECT_EQ(words_of(Upgraded(plan_).decide(wanted(), view_)), "satisfied");
}

}  // namespace
}  // namespace ichor
