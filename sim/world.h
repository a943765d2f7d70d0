#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "journal/memory_journal.h"
#include "model/event.h"
#include "sim/checkers/checker.h"
#include "sim/cluster_fixture.h"
#include "sim/faults/fault.h"
#include "sim/network.h"
#include "sim/seed_plan.h"
#include "sim/seeded_random.h"
#include "sim/trace.h"
#include "sim/virtual_clock.h"

namespace ichor::sim {

class SimProcess;

/// How a seed came out.
struct SeedReport {
  std::uint64_t seed{0};
  std::string violation;  // "I3: …", empty if every invariant held
  bool ready{false};
  Duration time_to_ready{};
  int runs{0};  // processes started, the repetition not counted
  int crashes{0};
  std::string verdict;  // of the last run
  std::uint64_t trace_hash{0};
  std::uint64_t events{0};
  std::vector<int> fired;                  // per armed fault, in the order of SeedPlan::faults
  std::map<std::string, int> crash_sites;  // "before-call Bootstrap" → times reached
};

/// The deterministic world of one seed: clock, chance, machines, network, faults, and the truth
/// that checkers judge by. ichor's production code runs in it as processes that can be killed.
///
/// Two phases: faults on; then quiet, in which the cluster must become ready.
class SimWorld {
 public:
  SimWorld(const SeedPlan& plan, ClusterFixture& fixture);
  ~SimWorld();

  SeedReport run(Trace::Listener listener = {});

  // --- for the network and the faults
  VirtualClock& clock() { return clock_; }
  const SeedPlan& plan() const { return plan_; }
  const ClusterProfile& profile() const { return fixture_.profile; }
  const ConfigSet& configs() const { return fixture_.configs; }
  std::vector<std::unique_ptr<Node>>& nodes() { return nodes_; }
  /// The CA of this cluster's configs, and what a config reads back as.
  Digest os_ca() const;
  Digest canonical_digest(const std::string& config, const Node& node);
  Port* port_at(const IpAddress& address);
  Port& port_of(const Node& node);
  bool quiet() const { return quiet_; }
  std::uint64_t next_session() { return ++sessions_; }
  Passage passage(Call call, Node* node, bool maintenance);
  int watch_copies();
  const NodePlan* planned_at(const IpAddress& address) const;

  // --- processes
  bool process_dead(int process) const;
  /// Dies here if a fault says so; the caller must then wait for ever.
  bool crash_here(int process, CrashSite site, std::string_view what);
  void crash_running();
  void interrupt_running();
  /// A second ichor beside the first, as an impatient operator starts it.
  void start_rival();
  MemoryStore& store() { return store_; }
  std::map<std::string, SecretString>& files() { return files_; }

  // --- what happened
  void note_request(const Request& request);
  void note_effect(const Request& request);
  void note_reply(const Request& request, const Reply& reply);
  void note_event(int process, const Event& event);

 private:
  void build_nodes();
  void arm_faults();
  void on_node_changed(std::size_t index);
  void start_process();
  void process_ended(int process, const RunResult& result);
  void begin_quiet();
  void sync_journal();
  void check_end(const RunResult& result);
  SeedReport report();

  SeedPlan plan_;
  ClusterFixture& fixture_;
  Trace trace_;
  SeededRandom random_;
  VirtualClock clock_;
  SeededRandom node_random_;
  Fabric fabric_;
  MemoryStore store_{clock_};
  std::map<std::string, SecretString> files_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Port> ports_;
  std::vector<std::unique_ptr<Fault>> faults_;
  Truth truth_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  // Those that want to see every read: most of the traffic, and few want it.
  std::vector<Checker*> request_watchers_;
  std::vector<Checker*> reply_watchers_;
  std::vector<std::unique_ptr<SimProcess>> processes_;
  std::size_t journal_seen_{0};
  std::uint64_t sessions_{0};
  bool quiet_{false};
  bool finished_{false};
  bool repeating_{false};
  int quiet_runs_{0};
  MonoTime ready_at_{};
  SeedReport report_;
};

}  // namespace ichor::sim
