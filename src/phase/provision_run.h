#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/run_result.h"
#include "phase/ledger.h"
#include "phase/provision.h"
#include "phase/provision_look.h"
#include "phase/vm_change.h"
#include "port/events.h"
#include "port/provider.h"

namespace ichor {

/// Carries out what phase/provision.h and phase/vm_change.h decide. With --provision it is the
/// first step of a run, before there are nodes. One ledger with the rest of the run: the intent is
/// durable before a call leaves, the provider's task before it is waited for, the outcome before
/// anybody hears of it. So a run that is killed at any place is continued by the next one: it
/// follows the task that the journal names, or finds what was made by its number and tag.
class ProvisionRun {
 public:
  struct World {
    Clock& clock;
    Provider& provider;
    EventSink& events;
    Ledger* ledger{nullptr};  // null: this run changes nothing
  };
  enum class Goal { created, running };

  /// `facts`: of the same journal. Profile and plan must outlive the run. One run does one of the
  /// following, once.
  ProvisionRun(World world, const ClusterProfile& profile, const ProviderPlan& plan,
               ProvisionFacts facts);

  /// Permissions first, then every machine to the goal. Exit::done, or why not.
  Task<RunResult> bring_up(Context context, Goal goal);
  /// Start, stop or destroy what is ours. `nodes` empty: all of the cluster.
  Task<RunResult> change(Context context, VmAction action, std::vector<NodeName> nodes);
  /// Permissions, the image, machines and their configs; changes nothing. `nodes` empty: all.
  Task<RunResult> verify(Context context, std::vector<NodeName> nodes);
  /// Machines and their configs only.
  Task<RunResult> list(Context context, std::vector<NodeName> nodes);

  /// Where the machines of the profile are, as their guest agents say; see ProvisionLook.
  Task<std::vector<IpAddress>> guest_addresses(Context context) {
    return looks_.guest_addresses(context, sight_);
  }

  /// What the last look saw; after verify() and list() the machines of the named nodes only.
  const ProvisionSight& sight() const { return sight_; }

 private:
  /// A machine and what follows for it.
  struct Work {
    VmSpec spec;
    ProvisionStep step;
  };

  Task<bool> check_access(Context context, ProviderUse use);
  Task<bool> check_image(Context context);
  Task<bool> look(Context context);
  void keep_only(const std::vector<NodeName>& nodes);
  /// Findings of rule C7 on the machines of the profile.
  void judge_machines();
  /// Does all of it side by side, and waits a little. False: the run ends here.
  Task<bool> do_work(Context context, std::vector<Work> work, Goal goal);
  Task<void> advance(Context context, Work work, Goal goal);
  Task<bool> take_up(Context context, const Work& work);
  /// Sends it and follows its task; true if it is done for certain.
  Task<bool> carry_out(Context context, VmDeed deed, VmSpec spec);
  /// Of what is read right before a change: ends the work on the machine if reading again is
  /// useless.
  void note_unread(const ProviderError& error, const VmSpec& spec);
  Task<bool> follow(Context context, VmAttempt attempt, ProviderTaskId task);
  Task<bool> end_attempt(VmAttempt attempt, OutcomeKind outcome, std::string why);
  /// Whether the config itself says that the machine is ours, read just now.
  Task<bool> still_ours(Context context, const VmSpec& spec);
  Task<std::uint64_t> append(JournalRecord record);
  void note_failed_task(const VmAttempt& attempt, const ProviderTask& task,
                        const std::vector<std::string>& log);

  void report(const ProviderError& error, const NodeName& node);
  bool is_broken() const;
  void fail(Finding finding, Exit exit);
  /// Errors fail the run, the rest is reported.
  void take(std::vector<Finding> findings, Exit exit);
  void tell(EventKind kind, const NodeName& node, std::string text);
  RunResult conclude(Context context, MonoTime started, std::string done);

  /// The wall clock at the start of this run and the time since: a jump in between says nothing,
  /// and on a lab time passes faster than on the wall.
  std::int64_t wall_ms() const;

  World world_;
  MonoTime since_;
  std::int64_t wall_since_ms_;
  const ClusterProfile& profile_;
  const ProviderPlan& plan_;
  ProvisionFacts facts_;
  std::vector<VmSpec> specs_;
  ProvisionLook looks_;
  ProvisionSight sight_;
  std::set<VmId> failed_;                // of this run: nothing more is tried with them
  std::map<VmId, std::string> waiting_;  // why, as the last look had it
  std::size_t failures_{0};
  bool changed_{false};  // or perhaps: by a call of this run
  RunResult result_;
};

}  // namespace ichor
