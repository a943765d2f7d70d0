#include "phase/vm_change.h"

#include "phase/test_provision.h"

namespace ichor {
namespace {

TEST(VmChange, ATokenThatSeesNothingIsReportedBeforeTheListIsBelieved) {
  for (const VmAction action : {VmAction::start, VmAction::stop, VmAction::destroy}) {
    Bed bed;
    ASSERT_EQ(bed.bring_up().exit, Exit::done);
    bed.provider.lacking = {"VM.Audit"};
    const RunResult result = bed.change(action);
    EXPECT_EQ(result.exit, Exit::findings);
    EXPECT_EQ(result.mutations, 0);
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings[0].id, "P6");
  }
}

TEST(VmChange, DestroyTakesOursAndNothingElse) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  const RunResult result = bed.change(VmAction::destroy);
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.vms.size(), 1u);
  EXPECT_TRUE(bed.provider.vms.contains(700));
}

TEST(VmChange, ACopyOfAMachineKeepsItsTagAndIsLeftAlone) {
  for (const VmAction action : {VmAction::start, VmAction::stop, VmAction::destroy}) {
    Bed bed;
    ASSERT_EQ(bed.bring_up().exit, Exit::done);
    bed.clone(950, "cp1-backup").seen.running = action != VmAction::start;
    bed.clone(951, "cp1");  // of the same name even
    const RunResult result = bed.change(action);
    EXPECT_EQ(result.exit, Exit::done) << result.verdict;
    EXPECT_TRUE(bed.provider.vms.contains(950));
    EXPECT_TRUE(bed.provider.vms.contains(951));
    EXPECT_FALSE(bed.provider.touched.contains(950));
    EXPECT_FALSE(bed.provider.touched.contains(951));
    ASSERT_EQ(result.findings.size(), 2u);
    EXPECT_EQ(result.findings[0].id, "P4");
    EXPECT_EQ(result.findings[0].severity, Severity::warning);
    EXPECT_NE(result.findings[0].what.find("VM 950 (cp1-backup)"), std::string::npos);
    EXPECT_NE(result.findings[0].fix.find("qm set 950 --tags"), std::string::npos);
  }
}

TEST(VmChange, ANodeThatIsNamedIsItsOwnMachineAndNoCopyOfThatName) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.clone(951, "cp1");
  bed.clone(950, "cp2-backup");
  const RunResult result = bed.change(VmAction::destroy, {NodeName("cp1")});
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, std::vector<VmId>{801});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.findings[0].what.find("VM 951"), std::string::npos);
}

TEST(VmChange, ATemplateIsNeverTaken) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.provider.vms.at(802).seen.is_template = true;
  const RunResult result = bed.change(VmAction::destroy);
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, std::vector<VmId>{801});
  EXPECT_TRUE(bed.provider.vms.contains(802));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.findings[0].what.find("the template 802"), std::string::npos);
}

TEST(VmChange, WhatTheJournalSaysIchorCreatedGoesWhenItLeftTheProfile) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.profile.nodes.pop_back();
  const RunResult result = bed.change(VmAction::destroy);
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, (std::vector<VmId>{801, 802}));
  EXPECT_TRUE(result.findings.empty());
}

TEST(VmChange, ANumberThatWentFromOursToACopyIsLeftAlone) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.profile.nodes.pop_back();
  bed.clone(802, "cp1-backup");
  const RunResult result = bed.change(VmAction::destroy);
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, std::vector<VmId>{801});
}

TEST(VmChange, ADestroyThatIsKilledAtAnyCallIsFinishedByTheNextRun) {
  int points = 0;
  for (const bool after : {false, true}) {
    for (int at = 1; at < 500; ++at) {
      Bed bed;
      ASSERT_EQ(bed.bring_up().exit, Exit::done);
      bed.provider.calls = 0;
      bed.provider.silent_at = at;
      bed.provider.after_effect = after;
      if (bed.process(kDestroy, [&] { return bed.provider.silent; })) break;
      ++points;
      const std::string when = fmt::format("killed {} call {}", after ? "after" : "before", at);
      const RunResult result = bed.change(VmAction::destroy);
      EXPECT_EQ(result.exit, Exit::done) << when << ": " << result.verdict;
      EXPECT_EQ(bed.provider.vms.size(), 1u) << when;
      // The journal says that both are gone: what it knew of their nodes counts no more.
      std::set<std::string> gone;
      for (const JournalRecord& record : bed.store.records()) {
        const bool removed = record.kind == RecordKind::outcome && record.call == kDestroyVm &&
                             record.outcome == OutcomeKind::done;
        if (removed) gone.insert(record.node.value());
      }
      EXPECT_EQ(gone, (std::set<std::string>{"cp1", "cp2"})) << when;
      EXPECT_EQ(bed.bring_up().exit, Exit::done) << when;
      EXPECT_EQ(bed.provider.vms.size(), 3u) << when;
    }
  }
  EXPECT_GT(points, 20);
}

TEST(VmChange, AMachineThatStaysLockedIsNotCalledRemoved) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.provider.vms.at(801).seen.lock = "backup";
  const RunResult result = bed.change(VmAction::destroy);
  EXPECT_EQ(result.exit, Exit::out_of_time);
  EXPECT_NE(result.verdict.find("VM 801 is locked: backup"), std::string::npos) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, std::vector<VmId>{802});
}

TEST(VmChange, ALostReplyToAStopIsLookedForAndNotTakenForDone) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.provider.refusals["stop 801"] = {Kind::unreachable, Progress::sent, "POST stop", "cut"};
  const auto heals = [&] {
    for (const Event& event : bed.events.events) {
      if (event.kind == EventKind::retrying) bed.provider.refusals.clear();
    }
    return false;
  };
  const Bed::Work work = [](ProvisionRun& run, Context c) {
    return run.change(c, VmAction::stop, {});
  };
  const auto result = bed.process(work, heals);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit, Exit::done) << result->verdict;
  EXPECT_FALSE(bed.provider.vms.at(801).seen.running);
  EXPECT_EQ(result->mutations, 3);
}

TEST(VmChange, AMachineWhoseTagWasTakenAwayIsLeftAlone) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  // The list still shows the tag; the config, which is read last, does not.
  bed.provider.vms.at(801).seen.config->values["tags"] = "keep";
  const RunResult result = bed.change(VmAction::destroy);
  EXPECT_EQ(result.exit, Exit::unsafe);
  EXPECT_TRUE(bed.provider.vms.contains(801));
  EXPECT_TRUE(bed.provider.vms.at(801).seen.running);
}

}  // namespace
}  // namespace ichor
