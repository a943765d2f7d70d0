#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "journal/memory_journal.h"
#include "journal/schema.h"
#include "model/event.h"
#include "model/machine_spec.h"
#include "phase/upgrade_plan.h"
#include "sim/checkers/checker.h"
#include "sim/cluster_fixture.h"
#include "sim/faults/fault.h"
#include "sim/network.h"
#include "sim/process_clock.h"
#include "sim/seed_plan.h"
#include "sim/seeded_random.h"
#include "sim/trace.h"
#include "sim/virtual_clock.h"

namespace ichor::sim {

class SimKubernetes;
class SimProcess;
class VmHost;
struct ProviderPassage;
struct VmRequest;

/// How a seed came out.
struct SeedReport {
  std::uint64_t seed{0};
  std::string violation;  // "I3: …", empty if every invariant held
  bool ready{false};
  bool ended{false};    // with the verdict that a fault is declared to end with
  bool gave_up{false};  // not ready after the last run without faults; `violation` says so, too
  Duration time_to_ready{};
  int runs{0};  // processes started, the repetition not counted
  int crashes{0};
  int quiet_runs{0};    // of them those that ended after the faults were over
  std::string verdict;  // of the last run
  Exit exit{Exit::failed};
  std::vector<std::string> findings;  // ids of the last run's
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

  /// One more fault than the seed drew, which must end as `recovery` says. Before run().
  void add(std::unique_ptr<Fault> fault, Recovery recovery = heals);
  /// One more that watches the seed. Before run().
  void add(std::unique_ptr<Checker> watcher);
  /// Every run restores etcd from this snapshot instead of bootstrapping an empty one. To be called
  /// before run().
  void restore_from(const std::string& snapshot);
  const MemoryBytes* snapshot() const { return snapshot_ ? &*snapshot_ : nullptr; }
  const Truth& truth() const { return truth_; }
  /// Whether the run came to all that the profile asks for: without a CNI that is the control
  /// plane.
  bool reached(const RunResult& result) const;
  /// Whether an API server answers at the profile's endpoint.
  bool api_answers() const;
  /// Where the endpoint is the address of one machine: whether that one serves the API.
  bool endpoint_serves() const;

  // --- for the network and the faults
  VirtualClock& clock() { return clock_; }
  const SeedPlan& plan() const { return plan_; }
  /// What the operator tells ichor. Changed only by faults in prepare() and before_run(), because
  /// a living run holds on to it.
  ClusterProfile& profile() { return profile_; }
  ConfigSet& configs() { return configs_; }
  ClusterFixture& fixture() { return fixture_; }
  std::vector<std::unique_ptr<Node>>& nodes() { return nodes_; }
  /// What is on the disks of machines that are not new, by name. Changed only in prepare().
  std::map<NodeName, NodeDisk>& former_disks() { return former_disks_; }
  /// The CA of this cluster's configs, and what a config reads back as.
  Digest os_ca() const;
  Digest canonical_digest(const std::string& config, const Node& node);
  Port* port_at(const IpAddress& address);
  /// DHCP gives the machine this address from now on.
  void lease(const Node& node, const IpAddress& address) { leases_[&node] = address; }
  Port& port_of(const Node& node);
  bool quiet() const { return quiet_; }
  std::uint64_t next_session() { return ++sessions_; }
  Passage passage(Call call, Node* node, bool maintenance);
  int watch_copies();
  /// The Kubernetes that the nodes make; null where the seed ends with the nodes.
  SimKubernetes* kube() { return kube_.get(); }
  /// A release that the operator's profile should have and does not. Changed before any run.
  void forget_release(std::string name) { forgotten_releases_.push_back(std::move(name)); }
  const std::vector<std::string>& forgotten_releases() const { return forgotten_releases_; }
  KubePassage kube_passage(const KubeRequest& request);
  /// What the operator wants by now, in a seed that goes on to an upgrade; null: a bring-up.
  const UpgradePlan* upgrade() const { return upgrade_ ? &*upgrade_ : nullptr; }
  /// Where the seed's machines are made; null where they are simply there.
  VmHost* vm_host() { return vm_host_.get(); }
  static const ProviderPlan& provider_plan();
  ProviderPassage provider_passage(const std::optional<VmRequest>& change);
  /// Every connection to the node is gone, with a word to both ends or without.
  void break_connections(Node& node, bool silently);
  /// Another client than ichor, with an administrator's certificate or in maintenance mode.
  Caller outsider(const Node& node) const;
  void note_outside_act(const Node& node, Call call);
  const NodePlan* planned_at(const IpAddress& address) const;
  /// The node whose config this is; empty: of none.
  NodeName config_owner(const Digest& config) const;

  // --- processes
  bool process_dead(int process) const;
  /// Dies here if a fault says so; the caller must then wait for ever.
  bool crash_here(int process, const CrashPoint& point);
  void crash_running();
  void interrupt_running();
  /// Every run pauses, until resume_running() or its end. One that was asked to stop does not.
  void pause_running(Pause how);
  void resume_running();
  /// A second ichor beside the first, as an impatient operator starts it; or beside one that
  /// pauses, on another machine.
  void start_rival();
  void start_rival_of_paused();
  MemoryStore& store() { return store_; }
  /// What is wrong with the journal's file and with the folder for other files; empty: nothing.
  const std::string& journal_damage() const { return journal_damage_; }
  void damage_journal(std::string what);
  /// The schema of the journal's file; another ichor may have raised it.
  int journal_schema() const { return journal_schema_; }
  void raise_journal_schema() { ++journal_schema_; }
  const std::string& folder_trouble() const { return folder_trouble_; }
  void set_folder_trouble(std::string what) { folder_trouble_ = std::move(what); }
  bool any_alive() const;
  std::map<std::string, SecretString>& files() { return files_; }

  // --- what happened
  void note_request(const Request& request);
  void note_effect(const Request& request);
  void note_reply(const Request& request, const Reply& reply);
  void note_kube_request(KubeRequest& request);
  void note_kube_effect(const KubeRequest& request);
  void note_kube_reply(const KubeRequest& request, const CallError* error);
  void note_vm_request(const VmRequest& request);
  void note_vm_task(const VmRequest& request, const ProviderTaskId& task);
  void note_program(int process, const ProcessCall& call);
  void note_web(int process, const std::string& url);
  /// Another client than ichor did something in Kubernetes.
  void note_kube_outside(const std::string& what);
  void note_event(int process, const Event& event);
  void note_written(const Written& written);
  void count_session(int process, int delta);

 private:
  struct Armed {
    std::unique_ptr<Fault> fault;
    Recovery recovery;
  };

  /// Where the machine is now; empty while it is down.
  IpAddress address_of(const Node& node) const;
  void make_faults();
  void listen_for(Checker& checker);
  void build_nodes();
  void build_kubernetes();
  void build_provider();
  /// Whether there is a machine, and its provider has switched it on.
  bool may_run(const Node& node) const;
  void arm_faults();
  bool declared_end(const RunResult& result);
  void on_node_changed(std::size_t index);
  void start_process();
  void launch();
  void process_ended(int process, const RunResult& result);
  void begin_quiet();
  /// Whether the cluster is up and the operator goes on to another version.
  bool starts_upgrade(const RunResult& result);
  void sync_journal();
  void check_end(const RunResult& result);
  SeedReport report();

  SeedPlan plan_;
  ClusterFixture& fixture_;
  ClusterProfile profile_;
  ConfigSet configs_;
  std::map<NodeName, NodeDisk> former_disks_;
  std::optional<MemoryBytes> snapshot_;
  std::map<const Node*, IpAddress> leases_;  // that are not those of the hardware
  Trace trace_;
  SeededRandom random_;
  VirtualClock clock_;
  SeededRandom node_random_;
  SeededRandom kube_random_;
  Fabric fabric_;
  MemoryStore store_{clock_};
  std::map<std::string, SecretString> files_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Port> ports_;
  std::unique_ptr<SimKubernetes> kube_;
  std::unique_ptr<VmHost> vm_host_;
  std::uint64_t kube_requests_{0};
  std::vector<std::string> forgotten_releases_;
  std::optional<UpgradePlan> upgrade_;
  std::vector<Armed> faults_;
  Truth truth_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  // Those that want to see every read: most of the traffic, and few want it.
  std::vector<Checker*> request_watchers_;
  std::vector<Checker*> reply_watchers_;
  std::vector<Checker*> listeners_;
  std::vector<std::unique_ptr<SimProcess>> processes_;
  std::size_t journal_seen_{0};
  std::string journal_damage_;
  int journal_schema_{kSchemaVersion};
  std::string folder_trouble_;
  std::uint64_t sessions_{0};
  std::vector<int> open_sessions_;  // per process
  std::optional<Pause> paused_;
  bool interrupt_waits_{false};  // for a run that pauses
  bool quiet_{false};
  bool finished_{false};
  bool repeating_{false};
  MonoTime ready_at_{};
  SeedReport report_;
};

}  // namespace ichor::sim
