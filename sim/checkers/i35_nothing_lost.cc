#include <fmt/format.h>
#include <map>
#include <set>
#include <string>

#include "sim/checkers/make.h"
#include "sim/provider/request.h"
#include "sim/provider/vm_host.h"

namespace ichor::sim {

class NothingLost final : public Checker {
 public:
  explicit NothingLost(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I35"; }
  std::string_view promise() const override {
    return "what a killed run started at the provider is found by the next one: a run that "
           "succeeds "
           "has every task in its journal, and every node has its machine";
  }

  void on_vm_task(const VmRequest& request, const ProviderTaskId& task) override {
    tasks_[task.value()] = request.place.id;
  }

  void on_durable(const JournalRecord& record) override {
    if (record.kind == RecordKind::observed && !tasks_.empty()) kept_.insert(record.value);
  }

  void on_process_ended(int process, const RunResult& result) override {
    const VmHost* host = truth().provider;
    if (!host || (result.exit != Exit::done && result.exit != Exit::cni_pending)) return;
    for (const auto& [task, id] : tasks_) {
      if (kept_.contains(task)) continue;
      violated(fmt::format("run {} succeeded, and the journal does not know the task {} of VM {}",
                           process, task, id));
    }
    for (const NodePlan& plan : truth().profile.nodes) {
      const auto vm = host->vms.find(plan.vmid.value_or(0));
      const bool there =
          vm != host->vms.end() && vm->second.made && vm->second.seen.name == plan.name.value();
      if (!there || !vm->second.seen.running) {
        violated(fmt::format("run {} succeeded, and {} has no machine that runs", process,
                             plan.name.value()));
      }
    }
  }

 private:
  std::map<std::string, VmId> tasks_;
  std::set<std::string> kept_;
};

template std::unique_ptr<Checker> make_checker<NothingLost>(const Truth& truth);

}  // namespace ichor::sim
