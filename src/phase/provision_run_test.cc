#include "phase/provision_run.h"

#include "phase/test_provision.h"

namespace ichor {
namespace {

TEST(Provision, MakesAndStartsEveryMachineAndASecondRunChangesNothing) {
  Bed bed;
  const RunResult first = bed.bring_up();
  EXPECT_EQ(first.exit, Exit::done) << first.verdict;
  EXPECT_EQ(first.mutations, 4);
  bed.expect_each_once("at once");
  const RunResult second = bed.bring_up();
  EXPECT_EQ(second.exit, Exit::done) << second.verdict;
  EXPECT_EQ(second.mutations, 0);
}

TEST(Provision, TheTaskIsInTheJournalBeforeItIsFollowed) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  std::map<std::string, std::vector<std::string>> story;
  for (const JournalRecord& record : bed.store.records()) {
    story[record.node.value()].emplace_back(name_of(record.kind));
  }
  const std::vector<std::string> expected = {"intent", "observed", "outcome",
                                             "intent", "observed", "outcome"};
  EXPECT_EQ(story["cp1"], expected);
  EXPECT_EQ(story["cp2"], expected);
}

TEST(Provision, KilledAtAnyCallTheNextRunMakesNoMachineTwiceAndLosesNone) {
  int points = 0;
  for (const bool after : {false, true}) {
    for (int at = 1; at < 500; ++at) {
      Bed bed;
      bed.provider.silent_at = at;
      bed.provider.after_effect = after;
      const auto ended = bed.process(kBringUp, [&] { return bed.provider.silent; });
      if (ended) break;
      ++points;
      const std::string when = fmt::format("killed {} call {}", after ? "after" : "before", at);
      const RunResult result = bed.bring_up();
      EXPECT_EQ(result.exit, Exit::done) << when << ": " << result.verdict;
      bed.expect_each_once(when);
    }
  }
  EXPECT_GT(points, 40);
}

TEST(Provision, KilledAtAnyRecordOfTheJournalTheNextRunFinishes) {
  int points = 0;
  for (const bool keep : {false, true}) {
    for (std::size_t at = 0; at < 100; ++at) {
      Bed bed;
      bed.store.set_commit_delay(std::chrono::milliseconds(5));
      const auto dies = [&] {
        return bed.store.records().size() == at && !bed.store.in_flight().empty();
      };
      if (bed.process(kBringUp, dies, keep)) break;
      ++points;
      const std::string when = fmt::format("killed at record {}, {}", at, keep ? "kept" : "lost");
      const RunResult result = bed.bring_up();
      EXPECT_EQ(result.exit, Exit::done) << when << ": " << result.verdict;
      bed.expect_each_once(when);
    }
  }
  EXPECT_GT(points, 8);
}

TEST(Provision, ALostAnswerIsLookedForAndNotSentAgain) {
  Bed bed;
  bed.provider.silent_at = 0;
  ASSERT_FALSE(bed.process(kBringUp, [&] { return bed.provider.created.contains(802); }));
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  bed.expect_each_once("the answers were lost");
}

TEST(Provision, ACreationThatTimedOutIsNotSentAgainAtOnce) {
  Bed bed;
  bed.provider.late["create 801"] = std::chrono::seconds(30);
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  bed.expect_each_once("the first call timed out");
  std::vector<std::int64_t> sent;
  for (const JournalRecord& record : bed.store.records()) {
    const bool asks = record.kind == RecordKind::intent && record.call == kCreateVm;
    if (asks && record.node == NodeName("cp1")) sent.push_back(record.wall_ms);
  }
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_GE(sent[1] - sent[0], 40'000) << "30 s of the call, and 10 s for its effect";
}

TEST(Provision, ACreationWhoseTaskIsNotFoundIsWrittenDownOnceItsMachineIsThere) {
  Bed bed;
  ASSERT_FALSE(bed.process(kBringUp, [&] { return bed.provider.created.contains(802); }));
  bed.clock.run_for(std::chrono::seconds(30));
  bed.provider.host.log.clear();  // its tasks were rotated away
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  bed.expect_each_once("no task was found");
  std::set<std::string> made;
  for (const JournalRecord& record : bed.store.records()) {
    const bool done = record.kind == RecordKind::outcome && record.call == kCreateVm &&
                      record.outcome == OutcomeKind::done;
    if (done) made.insert(record.node.value());
  }
  EXPECT_EQ(made, (std::set<std::string>{"cp1", "cp2"}));
}

TEST(Provision, AMissingPrivilegeIsNamedByPathAndNothingIsSent) {
  Bed bed;
  bed.provider.lacking = {"VM.Allocate", "SDN.Use"};
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::findings);
  EXPECT_EQ(result.mutations, 0);
  ASSERT_EQ(result.findings.size(), 3u);  // two machines and the bridge
  EXPECT_EQ(result.findings[0].id, "P6");
  EXPECT_EQ(result.findings[0].what, "the token has no VM.Allocate on /vms/801");
  EXPECT_NE(result.findings[1].what.find("/sdn/zones/localnet/vmbr0"), std::string::npos);
}

TEST(Provision, APrivilegeThatTheReleaseDoesNotHaveIsNotAskedFor) {
  Bed bed;
  bed.provider.unknown = {"SDN.Use"};
  EXPECT_EQ(bed.bring_up().exit, Exit::done);
}

TEST(Provision, WhatIsGrantedOnThePoolCountsForTheMachinesThatAreMadeInIt) {
  ClusterProfile profile = two_nodes();
  ProviderPlan plan = plan_of_demo();
  plan.pool = "talos";
  const Privileges known = {"VM.Audit", "VM.Allocate", "Datastore.Audit"};
  const auto needs = privileges_for(machines_for(profile, plan), ProviderUse::destroy, known);
  EXPECT_EQ(missing_privileges(needs, {}).size(), 2u);
  EXPECT_TRUE(missing_privileges(needs, {{"/pool/talos", known}}).empty());
}

TEST(Provision, AListThatLagsBehindStartsNoMachineTwice) {
  Bed bed;
  bed.provider.list_lags = true;
  EXPECT_EQ(bed.bring_up().mutations, 4);
  const RunResult second = bed.bring_up();
  EXPECT_EQ(second.exit, Exit::done) << second.verdict;
  EXPECT_EQ(second.mutations, 0);
}

TEST(Provision, AMachineThatOthersMakeMeanwhileIsNotStarted) {
  Bed bed;
  // Killed before the call left, and then another user makes a machine with this number.
  bed.provider.after_effect = false;
  bool asked = false;
  for (int at = 1; !asked && at < 100; ++at) {
    bed.provider.silent_at = at;
    bed.provider.calls = 0;
    (void)bed.process(kBringUp, [&] { return bed.provider.silent; });
    for (const JournalRecord& record : bed.store.records()) {
      asked = asked || record.kind == RecordKind::intent;
    }
  }
  ASSERT_TRUE(asked);
  ASSERT_TRUE(bed.provider.created.empty());
  VmSpec foreign;
  foreign.place = {"pve1", 801};
  foreign.name = "database";
  foreign.mac = MacAddress("bc:24:11:00:00:09");
  CancelScope scope;
  Task<ProviderResult<ProviderTaskId>> making =
      bed.provider.create({&bed.clock, &scope, kNever}, foreign);
  making.start();
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::unsafe) << result.verdict;
  EXPECT_TRUE(bed.provider.vms.contains(801));
  EXPECT_FALSE(bed.provider.touched.contains(801));
}

TEST(Provision, ATaskOfAnotherUserIsNotTakenForOurs) {
  const VmPlace place{"pve1", 801};
  ProvisionFacts facts;
  JournalRecord intent = intent_record(VmDeed::create, NodeName("cp1"), place, {});
  intent.seq = 1;
  intent.wall_ms = 1'000'000;
  facts.fold(intent);
  ProvisionSight sight;
  ProviderTask task;
  task.id = ProviderTaskId("UPID:pve1:1");
  task.kind = "qmcreate";
  task.started_s = 1'000;
  task.of_others = true;
  sight.tasks[place.id] = {task};
  EXPECT_EQ(unfinished_step(place, sight, facts, 1'001'000)->kind, ProvisionStep::Kind::settle);
  sight.tasks[place.id].front().of_others = false;
  EXPECT_EQ(unfinished_step(place, sight, facts, 1'001'000)->kind, ProvisionStep::Kind::follow);
}

TEST(Provision, ATaskIsOursBecauseItIsNewerForTheProviderWhateverOurClockSays) {
  const VmPlace place{"pve1", 801};
  ProviderTask former;
  former.id = ProviderTaskId("UPID:pve1:1");
  former.kind = "qmcreate";
  former.started_s = 1'000;
  ProvisionFacts facts;
  JournalRecord intent = intent_record(VmDeed::create, NodeName("cp1"), place, former.id);
  intent.seq = 1;
  intent.wall_ms = 900'000'000;  // ten days ahead of the provider's clock
  facts.fold(intent);
  EXPECT_EQ(facts.last(801)->place, place);
  ProvisionSight sight;
  sight.tasks[801] = {former};
  EXPECT_EQ(unfinished_step(place, sight, facts, 900'001'000)->kind, ProvisionStep::Kind::settle);
  EXPECT_FALSE(unfinished_step(place, sight, facts, 990'000'000));
  ProviderTask failed = former;
  failed.id = ProviderTaskId("UPID:pve1:2");
  failed.result = "out of space";
  sight.tasks[801] = {failed, former};
  const auto step = unfinished_step(place, sight, facts, 990'000'000);
  ASSERT_TRUE(step);
  EXPECT_EQ(step->kind, ProvisionStep::Kind::follow);
  EXPECT_EQ(step->task, failed.id);
}

TEST(Provision, ANumberThatSomethingElseHasStopsTheRun) {
  Bed bed;
  bed.provider.host.add_foreign(801, "database", "bc:24:11:00:00:08");
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::unsafe);
  EXPECT_EQ(result.mutations, 0);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].id, "P4");
}

TEST(Provision, TwoNodesWithOneMacStopTheRun) {
  Bed bed;
  bed.profile.nodes[0].mac = bed.profile.nodes[1].mac = MacAddress("bc:24:11:00:00:01");
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::unsafe);
  EXPECT_EQ(result.mutations, 0);
  EXPECT_EQ(result.verdict, "cp1 and cp2 have the MAC bc:24:11:00:00:01");
}

TEST(Provision, TwoMachinesWithOneMacStopTheRun) {
  Bed bed;
  bed.profile.nodes[0].mac = MacAddress("bc:24:11:00:00:07");
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::unsafe);
  EXPECT_EQ(result.mutations, 0);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].id, "P9");
  EXPECT_NE(result.findings[0].what.find("VM 700"), std::string::npos);
}

TEST(Provision, AFailedTaskIsReportedAndTheNextRunGoesOn) {
  Bed bed;
  bed.provider.tasks_fail["qmcreate 801"] = "lvcreate error: out of space";
  const RunResult first = bed.bring_up();
  EXPECT_EQ(first.exit, Exit::failed);
  ASSERT_EQ(first.findings.size(), 1u);
  EXPECT_NE(first.findings[0].what.find("out of space"), std::string::npos);
  EXPECT_TRUE(bed.provider.vms.at(802).seen.running);  // the other one is not held up
  bed.provider.tasks_fail.clear();
  EXPECT_EQ(bed.bring_up().exit, Exit::done);
  EXPECT_EQ(bed.provider.created.at(801), 2);
  EXPECT_EQ(bed.provider.created.at(802), 1);
}

TEST(Provision, ANumberOfSomethingThatTheListDoesNotShowIsNamed) {
  Bed bed;
  bed.provider.refusals["create 801"] = {Kind::exists, Progress::answered, "POST /nodes/pve1/qemu",
                                         "CT 801 already exists"};
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::failed);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "P4");
  EXPECT_NE(result.findings[0].fix.find("another vmid"), std::string::npos);
}

TEST(Provision, AnAccessThatIsDeniedIsAFindingUntilSomethingWasChanged) {
  for (const Kind kind : {Kind::unauthorized, Kind::forbidden}) {
    const ProviderError denied{kind, Progress::answered, "POST /nodes/pve1/qemu", "denied"};
    Bed bed;
    bed.provider.refusals = {{"create 801", denied}, {"create 802", denied}};
    EXPECT_EQ(bed.bring_up().exit, Exit::findings);
    bed.provider.refusals.erase("create 802");
    EXPECT_EQ(bed.bring_up().exit, Exit::failed);
    EXPECT_TRUE(bed.provider.vms.contains(802));
  }
}

TEST(Provision, VerifyAndListLookAtTheNamedNodesOnly) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.provider.vms.at(802).seen.config->values.erase("balloon");
  std::vector<NodeName> nodes = {NodeName("cp1")};
  const Bed::Work verify = [&](ProvisionRun& run, Context c) { return run.verify(c, nodes); };
  const Bed::Work list = [&](ProvisionRun& run, Context c) { return run.list(c, nodes); };
  const auto never = [] { return false; };
  EXPECT_EQ(bed.process(verify, never)->exit, Exit::done);
  EXPECT_EQ(bed.process(list, never)->verdict, "1 machines are ours");
  nodes.clear();
  EXPECT_EQ(bed.process(verify, never)->exit, Exit::findings);
  EXPECT_EQ(bed.process(list, never)->verdict, "2 machines are ours");
}

TEST(Provision, AQuotaIsReportedWithTheProvidersWords) {
  Bed bed;
  bed.provider.refusals["create 802"] = {Kind::exhausted, Progress::answered,
                                         "POST /nodes/pve1/qemu", "quota exceeded"};
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::failed);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "P1");
  EXPECT_NE(result.findings[0].what.find("quota exceeded"), std::string::npos);
}

TEST(Provision, MachinesAreAdoptedByTagAndJudgedByC7) {
  Bed bed;
  ASSERT_EQ(bed.bring_up(Goal::created).exit, Exit::done);
  EXPECT_FALSE(bed.provider.vms.at(801).seen.running);
  bed.provider.vms.at(801).seen.config->values.erase("balloon");
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::findings);
  EXPECT_EQ(result.mutations, 0);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "proxmox.ballooning");
}

TEST(Provision, ACloneThatHasTheTagIsNotJudged) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  auto clone = bed.provider.vms.at(801);
  clone.seen.place.id = 900;
  clone.seen.name = "cp1-backup";
  clone.seen.config->values = {{"net0", "virtio=BC:24:11:00:09:00"}, {"tags", "ichor-demo"}};
  bed.provider.vms[900] = clone;
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::done);
  EXPECT_TRUE(result.findings.empty());
}

TEST(Provision, AnAdoptedMachineKeepsItsMacWhereTheProfileHasNone) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  auto& values = bed.provider.vms.at(801).seen.config->values;
  values["net0"] = "virtio=BC:24:11:AA:00:01,bridge=vmbr0";
  EXPECT_EQ(bed.bring_up().findings.at(0).id, "P2") << "its config names the derived MAC";
  bed.profile.nodes[0].interface = "eth0";
  EXPECT_EQ(bed.bring_up().exit, Exit::done);
  bed.profile.nodes[0].mac = MacAddress("bc:24:11:00:00:01");
  EXPECT_EQ(bed.bring_up().findings.at(0).id, "P2") << "the profile says another";
}

TEST(Provision, GuestAgentsOfTheProfilesMachinesAreAskedWhereTheyAre) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.provider.guests = {{801, {"127.0.0.1", "169.254.1.1", "fe80::1", "10.9.0.7"}},
                         {700, {"10.9.0.70"}}};
  std::vector<IpAddress> told;
  const Bed::Work ask = [&](ProvisionRun& run, Context c) -> Task<RunResult> {
    RunResult result = co_await run.bring_up(c, Goal::running);
    told = co_await run.guest_addresses(c);
    co_return result;
  };
  const auto never = [] { return false; };
  ASSERT_EQ(bed.process(ask, never)->exit, Exit::done);
  EXPECT_EQ(told, std::vector<IpAddress>{IpAddress("10.9.0.7")});
  // Without the agent it is not asked.
  bed.provider.vms.at(801).seen.config->values["agent"] = "0";
  ASSERT_EQ(bed.process(ask, never)->exit, Exit::done);
  EXPECT_TRUE(told.empty());
}

TEST(Provision, TheRightToAskGuestAgentsIsNamedAndNotNeeded) {
  const auto specs = machines_for(two_nodes(), plan_of_demo());
  for (const char* right : {"VM.Monitor", "VM.GuestAgent.Audit"}) {
    const auto needs = privileges_for(specs, ProviderUse::make, {right});
    ASSERT_EQ(needs.size(), 2u) << right;
    const auto findings = missing_privileges(needs, {});
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].severity, Severity::note);
    EXPECT_NE(findings[0].what.find(right), std::string::npos);
    EXPECT_NE(findings[0].what.find("/vms/801 and 1 more"), std::string::npos);
  }
}

TEST(Provision, EveryRunAsksForTheSameMachine) {
  const ClusterProfile profile = two_nodes();
  const auto one = machines_for(profile, plan_of_demo());
  const auto other = machines_for(profile, plan_of_demo());
  EXPECT_EQ(one[0].mac, other[0].mac);
  EXPECT_EQ(one[0].uuid, other[0].uuid);
  EXPECT_NE(one[0].mac, one[1].mac);
  EXPECT_TRUE(one[0].mac.value().starts_with("bc:24:11:"));
  EXPECT_EQ(one[0].tags.front(), "ichor-demo");
}

}  // namespace
}  // namespace ichor
