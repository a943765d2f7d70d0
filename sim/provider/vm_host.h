#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "async/clock.h"
#include "port/provider.h"

namespace ichor::sim {

/// What a provider of machines knows: machines, their configs, and tasks that take time. Calls are
/// decided at once, as Proxmox does: a machine that is being made has its number and a lock, and
/// its name and tags when the task has ended.
class VmHost {
 public:
  struct Vm {
    VmSeen seen;
    bool made{false};
  };

  explicit VmHost(Clock& clock) : clock_(clock) {}
  VmHost(const VmHost&) = delete;
  VmHost& operator=(const VmHost&) = delete;

  std::map<VmId, Vm> vms;
  std::vector<ProviderTask> log;  // in the order of their beginnings
  /// How a task will end; empty: all of them well. Else its words, or "OK".
  std::function<std::string(const ProviderTask& task)> verdict;
  /// How long a machine that was started shows nothing; empty: no time.
  std::function<Duration(VmId id)> boot_delay;
  /// A task has ended, and its effect is there.
  std::function<void(const ProviderTask& task)> on_end;

  /// A machine that is not of the cluster, and off.
  void add_foreign(VmId id, std::string name, const std::string& mac);

  ProviderResult<ProviderTaskId> create(const VmSpec& spec);
  ProviderResult<ProviderTaskId> change(std::string kind, const VmPlace& place);

  std::vector<VmSeen> list() const;
  ProviderResult<VmSeen> machine(const VmPlace& place) const;
  ProviderResult<VmConfig> config(const VmPlace& place) const;
  /// The newest first.
  std::vector<ProviderTask> tasks(const VmPlace& place) const;
  ProviderResult<ProviderTask> task(const ProviderTaskId& id) const;

  static ProviderError missing(std::string call);

 private:
  ProviderTaskId begin(std::string kind, const VmPlace& place, const VmSpec& spec);
  void end(ProviderTask& task, const VmSpec& spec);
  std::string carry_out(const ProviderTask& task, const VmSpec& spec);

  Clock& clock_;
};

/// All privileges that the tests' releases know.
const Privileges& sim_privileges();

}  // namespace ichor::sim
