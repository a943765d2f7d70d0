#include "phase/provision_run.h"

#include <gtest/gtest.h>
#include <optional>

#include "journal/memory_journal.h"
#include "model/provider_call.h"
#include "phase/kubernetes/test_kit.h"
#include "phase/test_provider.h"
#include "sim/virtual_clock.h"

namespace ichor {
namespace {

using Goal = ProvisionRun::Goal;
using Kind = ProviderError::Kind;

ClusterProfile two_nodes() {
  ClusterProfile profile;
  profile.name = "demo";
  profile.network.node_cidr = "192.168.20.0/22";
  profile.proxmox.emplace();
  for (const int number : {1, 2}) {
    NodePlan& node = profile.nodes.emplace_back();
    node.name = NodeName(fmt::format("cp{}", number));
    node.role = Role::control_plane;
    node.address = IpAddress(fmt::format("192.168.22.10{}", number));
    node.vmid = static_cast<VmId>(800 + number);
  }
  return profile;
}

ProviderPlan plan_of_demo() {
  ProviderPlan plan;
  plan.hosts = {"pve1", "pve2"};
  plan.storage = "local-lvm";
  plan.image = "local:iso/talos.iso";
  return plan;
}

/// A provider and a journal that outlive the processes. VM 700 belongs to others.
struct Bed {
  using Work = std::function<Task<RunResult>(ProvisionRun&, Context)>;

  sim::VirtualClock clock;
  MemoryStore store{clock};
  FakeProvider provider{clock};
  KeptEvents events;
  ClusterProfile profile = two_nodes();
  ProviderPlan plan = plan_of_demo();

  Bed() { provider.host.add_foreign(700, "other", "bc:24:11:00:00:07"); }

  /// What a process does under the lock of the journal.
  Task<void> live(Context context, Journal& journal, const Work& work,
                  std::optional<RunResult>& result) {
    // No braces within a co_await: GCC 12 destroys such temporaries twice.
    LockOwner owner{"nonce", "host", "boot", 1};
    const auto lease = co_await journal.lock(context, std::move(owner));
    check(lease.has_value(), "the lock is free");
    const auto records = co_await journal.read(context);
    check(records.has_value(), "the journal is whole");
    Ledger ledger(context, journal, RunId("run"), *lease);
    check((co_await ledger.load()).has_value(), "the journal is whole");
    ProvisionFacts facts;
    for (const JournalRecord& record : *records) facts.fold(record);
    ProvisionRun run({clock, provider, events, &ledger}, profile, plan, facts);
    result = co_await work(run, context);
    journal.unlock();
  }

  /// A process that ends by itself, or is killed when `dies` says so: nothing then.
  std::optional<RunResult> process(const Work& work, const std::function<bool()>& dies,
                                   bool keep_in_flight = false) {
    std::optional<RunResult> result;
    {
      MemoryJournal journal(store);
      CancelScope scope;
      Task<void> task = live({&clock, &scope}, journal, work, result);
      task.start();
      while (!task.done() && !dies() && clock.step()) {
      }
      if (task.done()) return result;
    }
    provider.silent = false;
    provider.silent_at = 0;
    store.crash(keep_in_flight);
    return std::nullopt;
  }

  RunResult bring_up(Goal goal = Goal::running) {
    const Work work = [goal](ProvisionRun& run, Context c) { return run.bring_up(c, goal); };
    return *process(work, [] { return false; });
  }
  RunResult change(VmWish wish, std::vector<NodeName> nodes = {}) {
    const Work work = [&](ProvisionRun& run, Context c) { return run.change(c, wish, nodes); };
    return *process(work, [] { return false; });
  }

  /// As Proxmox copies a machine: with its tags, off, and with a MAC of its own.
  sim::VmHost::Vm& clone(VmId id, std::string name) {
    sim::VmHost::Vm copy = provider.vms.at(801);
    copy.seen.place.id = id;
    copy.seen.name = std::move(name);
    copy.seen.running = false;
    copy.seen.config->values["net0"] = fmt::format("virtio=bc:24:11:00:09:{},bridge=vmbr0", id % 90);
    return provider.vms[id] = copy;
  }

  void expect_each_once(const std::string& when) const {
    for (const VmId id : {801u, 802u}) {
      ASSERT_TRUE(provider.vms.contains(id)) << when;
      EXPECT_TRUE(provider.vms.at(id).seen.running) << when << ", VM " << id;
      EXPECT_EQ(provider.created.at(id), 1) << when << ", VM " << id;
    }
    EXPECT_EQ(provider.vms.size(), 3u) << when;
    EXPECT_TRUE(provider.destroyed.empty()) << when;
  }
};

const Bed::Work kDestroy = [](ProvisionRun& run, Context context) {
  return run.change(context, VmWish::destroy, {});
};

const Bed::Work kBringUp = [](ProvisionRun& run, Context context) {
  return run.bring_up(context, Goal::running);
};

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

TEST(Provision, ATokenThatSeesNothingIsToldSoBeforeTheListIsBelieved) {
  for (const VmWish wish : {VmWish::start, VmWish::stop, VmWish::destroy}) {
    Bed bed;
    ASSERT_EQ(bed.bring_up().exit, Exit::done);
    bed.provider.lacking = {"VM.Audit"};
    const RunResult result = bed.change(wish);
    EXPECT_EQ(result.exit, Exit::findings);
    EXPECT_EQ(result.mutations, 0);
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings[0].id, "P6");
  }
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
  JournalRecord intent = intent_record(VmDeed::create, NodeName("cp1"), place);
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

TEST(Provision, AFailedTaskIsToldAndTheNextRunGoesOn) {
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

TEST(Provision, AQuotaIsToldWithTheProvidersWords) {
  Bed bed;
  bed.provider.refusals["create 802"] = {Kind::exhausted, Progress::answered,
                                         "POST /nodes/pve1/qemu", "quota exceeded"};
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::failed);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].id, "P1");
  EXPECT_NE(result.findings[0].what.find("quota exceeded"), std::string::npos);
}

TEST(Provision, DestroyTakesOursAndNothingElse) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  const RunResult result = bed.change(VmWish::destroy);
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.vms.size(), 1u);
  EXPECT_TRUE(bed.provider.vms.contains(700));
}

TEST(Provision, ACopyOfAMachineKeepsItsTagAndIsLeftAlone) {
  for (const VmWish wish : {VmWish::start, VmWish::stop, VmWish::destroy}) {
    Bed bed;
    ASSERT_EQ(bed.bring_up().exit, Exit::done);
    bed.clone(950, "cp1-backup").seen.running = wish != VmWish::start;
    bed.clone(951, "cp1");  // of the same name even
    const RunResult result = bed.change(wish);
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

TEST(Provision, ANodeThatIsNamedIsItsOwnMachineAndNoCopyOfThatName) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.clone(951, "cp1");
  bed.clone(950, "cp2-backup");
  const RunResult result = bed.change(VmWish::destroy, {NodeName("cp1")});
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, std::vector<VmId>{801});
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.findings[0].what.find("VM 951"), std::string::npos);
}

TEST(Provision, ATemplateIsNeverTaken) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.provider.vms.at(802).seen.is_template = true;
  const RunResult result = bed.change(VmWish::destroy);
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, std::vector<VmId>{801});
  EXPECT_TRUE(bed.provider.vms.contains(802));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_NE(result.findings[0].what.find("the template 802"), std::string::npos);
}

TEST(Provision, WhatTheJournalSaysIchorCreatedGoesWhenItLeftTheProfile) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.profile.nodes.pop_back();
  const RunResult result = bed.change(VmWish::destroy);
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, (std::vector<VmId>{801, 802}));
  EXPECT_TRUE(result.findings.empty());
}

TEST(Provision, ANumberThatWentFromOursToACopyIsLeftAlone) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.profile.nodes.pop_back();
  bed.clone(802, "cp1-backup");
  const RunResult result = bed.change(VmWish::destroy);
  EXPECT_EQ(result.exit, Exit::done) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, std::vector<VmId>{801});
}

TEST(Provision, ADestroyThatIsKilledAtAnyCallIsFinishedByTheNextRun) {
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
      const RunResult result = bed.change(VmWish::destroy);
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

TEST(Provision, AMachineThatStaysLockedIsNotCalledRemoved) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  bed.provider.vms.at(801).seen.lock = "backup";
  const RunResult result = bed.change(VmWish::destroy);
  EXPECT_EQ(result.exit, Exit::out_of_time);
  EXPECT_NE(result.verdict.find("VM 801 is locked: backup"), std::string::npos) << result.verdict;
  EXPECT_EQ(bed.provider.destroyed, std::vector<VmId>{802});
}

TEST(Provision, ALostReplyToAStopIsLookedForAndNotTakenForDone) {
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
    return run.change(c, VmWish::stop, {});
  };
  const auto result = bed.process(work, heals);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit, Exit::done) << result->verdict;
  EXPECT_FALSE(bed.provider.vms.at(801).seen.running);
  EXPECT_EQ(result->mutations, 3);
}

TEST(Provision, AMachineWhoseTagWasTakenAwayIsLeftAlone) {
  Bed bed;
  ASSERT_EQ(bed.bring_up().exit, Exit::done);
  // The list still shows the tag; the config, which is read last, does not.
  bed.provider.vms.at(801).seen.config->values["tags"] = "keep";
  const RunResult result = bed.change(VmWish::destroy);
  EXPECT_EQ(result.exit, Exit::unsafe);
  EXPECT_TRUE(bed.provider.vms.contains(801));
  EXPECT_TRUE(bed.provider.vms.at(801).seen.running);
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
