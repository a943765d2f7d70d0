#include "phase/provision_run.h"

#include <gtest/gtest.h>
#include <optional>

#include "journal/memory_journal.h"
#include "phase/fake_provider.h"
#include "phase/kubernetes/test_kit.h"
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

  Bed() { provider.add_foreign(700, "other", "bc:24:11:00:00:07"); }

  /// A process that ends by itself, or is killed when `dies` says so: nothing then.
  std::optional<RunResult> process(const Work& work, const std::function<bool()>& dies,
                                   bool keep_in_flight = false) {
    MemoryJournal journal(store);
    check(journal.lock({"nonce", "host", "boot", 1}).has_value(), "the lock is free");
    CancelScope scope;
    const Context context{&clock, &scope};
    Ledger ledger(context, journal, RunId("run"));
    check(ledger.load().has_value(), "the journal is whole");
    ProvisionFacts facts;
    for (const JournalRecord& record : store.records()) facts.fold(record);
    ProvisionRun run({clock, provider, events, &ledger}, profile, plan, facts);
    Task<RunResult> task = work(run, context);
    task.start();
    while (!task.done() && !dies() && clock.step()) {
    }
    if (!task.done()) {
      store.crash(keep_in_flight);
      return std::nullopt;
    }
    RunResult result = task.take();
    journal.unlock();
    return result;
  }

  RunResult bring_up(Goal goal = Goal::running) {
    const Work work = [goal](ProvisionRun& run, Context c) { return run.bring_up(c, goal); };
    return *process(work, [] { return false; });
  }
  RunResult change(VmWish wish, std::vector<NodeName> nodes = {}) {
    const Work work = [&](ProvisionRun& run, Context c) { return run.change(c, wish, nodes); };
    return *process(work, [] { return false; });
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

TEST(Provision, AReleaseBeforeTheZonesIsNotAskedForTheirPrivilege) {
  Bed bed;
  bed.provider.release = {7, 4, "7.4.1"};
  bed.provider.lacking = {"SDN.Use"};
  EXPECT_EQ(bed.bring_up().exit, Exit::done);
}

TEST(Provision, ANumberThatSomethingElseHasStopsTheRun) {
  Bed bed;
  bed.provider.add_foreign(801, "database", "bc:24:11:00:00:08");
  const RunResult result = bed.bring_up();
  EXPECT_EQ(result.exit, Exit::unsafe);
  EXPECT_EQ(result.mutations, 0);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].id, "P4");
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
  EXPECT_EQ(result.exit, Exit::unsafe);
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
