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
#include "port/events.h"
#include "port/provider.h"

namespace ichor {

/// Carries out what phase/provision.h decides: the first step of a run with --provision, before
/// there are nodes. One ledger with the rest of the run: the intent is durable before a call
/// leaves, the provider's task before it is waited for, the outcome before anybody hears of it. So
/// a run that is killed at any place is continued by the next one: it follows the task that the
/// journal names, or finds what was made by its number and tag.
class ProvisionRun {
 public:
  struct World {
    Clock& clock;
    Provider& provider;
    EventSink& events;
    Ledger* ledger{nullptr};  // null: this run changes nothing
  };
  enum class Goal { created, running };

  /// `facts`: of the same journal. Profile and plan must outlive the run.
  ProvisionRun(World world, const ClusterProfile& profile, const ProviderPlan& plan,
               ProvisionFacts facts);

  /// Permissions first, then every machine to the goal. Exit::done, or why not.
  Task<RunResult> bring_up(Context context, Goal goal);
  /// Start, stop or destroy what is ours. `nodes` empty: all of the cluster.
  Task<RunResult> change(Context context, VmWish wish, std::vector<NodeName> nodes);
  /// Permissions, the image, machines and their configs; changes nothing.
  Task<RunResult> verify(Context context);
  /// Machines and their configs only.
  Task<RunResult> list(Context context);

  const ProvisionSight& sight() const { return sight_; }
  const ProviderVersion& version() const { return version_; }
  const std::vector<VmSpec>& specs() const { return specs_; }

 private:
  Task<bool> check_access(Context context);
  Task<bool> check_image(Context context);
  Task<bool> look(Context context);
  Task<void> read_config(Context context, VmSeen& vm);
  Task<void> read_tasks(Context context, const VmSpec& spec);
  Task<void> advance(Context context, const VmSpec& spec, ProvisionStep step, Goal goal);
  Task<void> change_one(Context context, VmSeen vm, VmWish wish);
  /// Sends it and follows its task; true if it is done for certain.
  Task<bool> carry_out(Context context, VmDeed deed, VmSpec spec);
  Task<bool> follow(Context context, VmDeed deed, NodeName node, VmPlace place,
                    std::uint64_t intent, ProviderTaskId task);
  /// Whether the config itself says that the machine is ours, read just now.
  Task<bool> still_ours(Context context, const VmSeen& vm);
  Task<std::uint64_t> append(JournalRecord record);
  void note_failed_task(VmDeed deed, const NodeName& node, const VmPlace& place,
                        const ProviderTask& task, const std::vector<std::string>& log);

  void report(const ProviderError& error, const NodeName& node);
  bool is_broken() const;
  void fail(Finding finding, Exit exit);
  void tell(EventKind kind, const NodeName& node, std::string text);
  RunResult conclude(Context context, std::string done);

  World world_;
  const ClusterProfile& profile_;
  const ProviderPlan& plan_;
  ProvisionFacts facts_;
  std::vector<VmSpec> specs_;
  ProvisionSight sight_;
  ProviderVersion version_;
  std::set<NodeName> failed_;  // of this run
  RunResult result_;
};

}  // namespace ichor
