#include "doctor/examine_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A healthy control plane, for the tests to break.
class ExamineNode : public ::testing::Test {
 protected:
  ExamineNode() {
    NodePlan plan;
    plan.name = NodeName("cp1");
    plan.role = Role::control_plane;
    profile_.nodes.push_back(plan);
    view_.node = plan.name;
    view_.presence = Presence::configured;
    view_.status = MachineStatus{Stage::running, true, {}};
    view_.version = profile_.talos.version;
    view_.time_synced = true;
    view_.etcd.has_data = Known::yes;
    view_.etcd.service_healthy = true;
    view_.etcd.service_state = "Running";
    view_.etcd.status = EtcdStatus{};
    view_.etcd.status->leader = EtcdMemberId(7);
    view_.etcd.members = {{EtcdMemberId(7), "cp1", false}};
    view_.etcd.alarms.emplace();
  }

  std::vector<std::string> ids() {
    std::vector<std::string> found;
    for (const Finding& finding :
         examine_node({profile_, configs_, facts_}, profile_.nodes[0], view_)) {
      found.push_back(std::string(name_of(finding.severity)) + " " + finding.id);
    }
    return found;
  }

  ClusterProfile profile_;
  ConfigSet configs_;
  JournalFacts facts_;
  NodeView view_;
};

TEST_F(ExamineNode, FindsNothingOnAGoodNode) { EXPECT_THAT(ids(), IsEmpty()); }

TEST_F(ExamineNode, NamesTheRowOfEveryUnmetCondition) {
  view_.status->unmet = {{"time", "not in sync"}, {"nodeReady", "CNI is missing"}};
  EXPECT_THAT(ids(), ElementsAre("error T7", "error K1"));
}

TEST_F(ExamineNode, JudgesASilentNodeByTheRetryTable) {
  view_ = NodeView{};
  view_.node = NodeName("cp1");
  view_.trouble = CallError{Call::open, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
                            "connection refused"};
  EXPECT_THAT(ids(), ElementsAre("error N1"));
}

TEST_F(ExamineNode, SeesWhatAilsEtcd) {
  view_.etcd.alarms->push_back({EtcdMemberId(7), EtcdAlarmKind::no_space});
  view_.etcd.status->is_learner = true;
  view_.etcd.members->push_back({EtcdMemberId(8), "old", false});
  EXPECT_THAT(ids(), ElementsAre("error E7", "error E9", "error E5"));
}

TEST_F(ExamineNode, TellsTheAlarmOfAnotherMemberAsThatMembers) {
  for (const char* name : {"cp2", "cp3"}) {
    NodePlan plan;
    plan.name = NodeName(name);
    plan.role = Role::control_plane;
    profile_.nodes.push_back(plan);
  }
  view_.etcd.members->push_back({EtcdMemberId(8), "cp2", false});
  view_.etcd.members->push_back({EtcdMemberId(9), "cp3", false});
  view_.etcd.alarms->push_back({EtcdMemberId(9), EtcdAlarmKind::corrupt});
  view_.etcd.status->errors = {"memberID:9 alarm:CORRUPT "};
  const auto findings = examine_node({profile_, configs_, facts_}, profile_.nodes[0], view_);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].node, NodeName("cp3"));
  EXPECT_THAT(findings[0].fix, HasSubstr("`ichor reset cp3`"));
  EXPECT_THAT(findings[0].fix, Not(HasSubstr("reset cp1")));
}

TEST_F(ExamineNode, NeverAdvisesToResetAMemberOfItsOwnCluster) {
  view_.etcd.members->push_back({EtcdMemberId(8), "old", false});
  const auto findings = examine_node({profile_, configs_, facts_}, profile_.nodes[0], view_);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "E5");
  EXPECT_THAT(findings[0].fix, HasSubstr("remove-member 0000000000000008"));
  EXPECT_THAT(findings[0].fix, Not(HasSubstr("ichor reset")));
}

TEST_F(ExamineNode, TellsServicesThatAreIllFromThoseThatWait) {
  view_.services = {{"etcd", "Waiting", false, true, "Waiting for etcd spec"},
                    {"kubelet", "Running", false, false, "Health check failed"}};
  EXPECT_THAT(ids(), ElementsAre("note E2", "error A1"));
}

TEST_F(ExamineNode, WarnsOfDataOnADiskBeforeTheInstall) {
  view_.presence = Presence::maintenance;
  view_.etcd = {};
  Disk disk;
  disk.dev_path = "/dev/sda";
  disk.has_volumes = true;
  view_.disks = {disk};
  EXPECT_THAT(ids(), ElementsAre("note D3"));
}

TEST_F(ExamineNode, FindsAMachineThatIsTooSmall) {
  view_.hardware.emplace();
  view_.hardware->memory_bytes = 1ull << 30;
  EXPECT_THAT(ids(), ElementsAre("error D5"));
}

TEST_F(ExamineNode, WritesTheStepsOutForTheNode) {
  const Finding finding = finding_of("E9", NodeName("cp1"), "etcd", "alarm NOSPACE");
  EXPECT_THAT(finding.fix, HasSubstr("`talosctl -n cp1 etcd defrag`"));
  EXPECT_FALSE(finding.why.empty());
}

}  // namespace
}  // namespace ichor
