#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/phase_loop.h"
#include "engine/run_lock.h"
#include "phase/sequence.h"
#include "wait/barrier.h"
#include "wait/turn_order.h"
#include "wait/turnstile.h"

namespace ichor {

/// Who runs, for the lock and the journal.
struct RunIdentity {
  RunId run;
  LockOwner owner;
  bool adopt{false};      // the operator's word: a cluster that the journal has not made is ours
  std::string command{};  // that was typed, if it is known
  bool goes_on{false};    // in another part of the run: only a failure is its end
};

/// One run from whatever state the world is in to a verified cluster, or to a verdict that says why
/// not. Nodes are independent actors, and the cluster is one more; they meet only at milestones.
///
/// Killed at any instant, the next run reads the journal, looks at the world and goes on.
class Orchestrator {
 public:
  Orchestrator(World world, const ClusterProfile& profile, const ConfigSet& configs,
               RunIdentity identity);
  /// Runs these steps, which are not all of the sequence; its success says no more than they do.
  Orchestrator(World world, const ClusterProfile& profile, const ConfigSet& configs,
               RunIdentity identity, std::vector<Step> steps);

  ~Orchestrator();

  /// Called once. Ends soon after the context is cancelled.
  Task<RunResult> run(Context context);
  /// The same as a part of a run that holds the lock, which must outlive this.
  Task<RunResult> run_under(Context context, const RunLock& lock);

 private:
  struct Actor;

  Task<RunResult> run_locked(Context context, Lease lease);
  Task<std::optional<RunResult>> begin();
  Task<void> finish(RunResult& result);
  /// L2: what was seen last was seen before a pause of this process or machine.
  /// Whether the success rests on what was seen too long ago.
  bool has_slept(Context context, const RunResult& result) const;
  RunResult slept_over(RunResult result) const;
  Task<void> run_actor(Context context, Actor& actor);
  /// Whether the actor has nothing to do after this step.
  bool is_last(const Actor& actor, std::size_t step) const;
  /// Gives the session of a node that is through to the cluster's actor, before the milestone that
  /// lets that one look: a thousand second connections are hundreds of megabytes.
  void hand_over(Actor& actor);
  Task<PhaseEnd> run_step(Context context, Actor& actor, const Step& step);
  Task<PhaseEnd> run_kubernetes(Context context, const Step& step);
  /// Takes what came of the Kubernetes phases into the result.
  void add_kubernetes(RunResult& result) const;
  /// Nothing when the milestone is reached; else why it never will be.
  Task<std::optional<PhaseEnd>> wait_for(Context context, const Actor& actor, Milestone milestone);
  Task<PhaseEnd> run_phase(Context context, Actor& actor, const Step& step);
  /// The same, and keeps in the journal how long it took.
  Task<PhaseEnd> run_timed(Context context, Actor& actor, const Step& step);
  /// What the cluster's last look saw of nodes that may have taken no step of their own.
  void note_nodes(const ClusterPhase& phase, const ClusterView& view, PhaseEnd& end);
  void settle(Actor& actor, const Step& step, const PhaseEnd& end);
  void break_barriers(const Actor& actor, std::size_t first_step, const std::string& reason);

  bool takes_part(const Actor& actor, const Step& step) const;
  Barrier& barrier(Milestone milestone) { return *barriers_.at(milestone); }
  void make_actors();
  void make_barriers();
  void make_turns();
  /// In sequential runs: waits until the nodes before this one in the profile are through the step.
  Task<bool> wait_for_turn(Context context, const Actor& actor, const Step& step);
  /// The actor takes no turn any more, neither in this step nor, without one, in any.
  void end_turns(const Actor& actor, const Step* step);
  RunResult conclude(Context context, MonoTime started) const;
  /// Who could not begin a step because of others, once for each cause.
  void note_blocked(RunResult& result) const;
  std::string success(int mutations) const;
  RunResult refused(Exit exit, Finding finding) const;
  void emit(EventKind kind, const NodeName& node, std::string_view phase, std::string text) const;

  World world_;
  const ClusterProfile& profile_;
  const ConfigSet& configs_;
  RunIdentity identity_;
  std::vector<Step> steps_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<RunState> run_;
  std::map<Milestone, std::unique_ptr<Barrier>> barriers_;
  Turnstile turnstile_;
  std::map<const Step*, TurnOrder> turns_;  // of sequential runs, by the limited steps
  std::vector<std::unique_ptr<Actor>> actors_;
  bool api_proved_{false};
};

}  // namespace ichor
