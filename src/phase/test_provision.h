#pragma once

#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <set>

#include "journal/memory_journal.h"
#include "model/provider_call.h"
#include "phase/kubernetes/test_kit.h"
#include "phase/provision_run.h"
#include "phase/test_provider.h"
#include "sim/virtual_clock.h"

// Two nodes and their provider, for tests of what runs do with machines.
namespace ichor {

using Goal = ProvisionRun::Goal;
using Kind = ProviderError::Kind;

inline ClusterProfile two_nodes() {
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

inline ProviderPlan plan_of_demo() {
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
  RunResult change(VmAction action, std::vector<NodeName> nodes = {}) {
    const Work work = [&](ProvisionRun& run, Context c) { return run.change(c, action, nodes); };
    return *process(work, [] { return false; });
  }

  /// As Proxmox copies a machine: with its tags, off, and with a MAC of its own.
  sim::VmHost::Vm& clone(VmId id, std::string name) {
    sim::VmHost::Vm copy = provider.vms.at(801);
    copy.seen.place.id = id;
    copy.seen.name = std::move(name);
    copy.seen.running = false;
    copy.seen.config->values["net0"] =
        fmt::format("virtio=bc:24:11:00:09:{},bridge=vmbr0", id % 90);
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

inline const Bed::Work kDestroy = [](ProvisionRun& run, Context context) {
  return run.change(context, VmAction::destroy, {});
};

inline const Bed::Work kBringUp = [](ProvisionRun& run, Context context) {
  return run.bring_up(context, Goal::running);
};

}  // namespace ichor
