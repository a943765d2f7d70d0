#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lab/fault.h"
#include "lab/kube/api.h"
#include "lab/proxmox/state.h"
#include "lab/site.h"
#include "model/machine_spec.h"

namespace ichor::lab {

/// A Proxmox cluster: its virtual machines are machines of the lab. It answers as Proxmox VE 8.4
/// does, with the words of its errors in the status line. Tasks take time of the lab. Lives on the
/// loop's thread.
class PveCluster {
 public:
  static constexpr std::int64_t kStorageGib = 4096;

  struct Setup {
    ProviderPlan plan;              // its hosts, storages, image and bridge are there
    std::vector<std::string> pool;  // addresses for machines that ask by DHCP
    sim::Personality personality{sim::Personality::v1_12};
  };

  PveCluster(Site& site, Setup setup, PveState state);
  ~PveCluster();
  PveCluster(const PveCluster&) = delete;
  PveCluster& operator=(const PveCluster&) = delete;

  /// Makes the machines of its VMs, as they were left, and goes on with its tasks.
  void restore(Store& store);

  /// The answer comes when what it reports is durable, and after the latency.
  void answer(const KubeRequest& request, const std::function<void(KubeReply)>& respond);

  Result<std::string> inject(const Injection& injection);
  const PveState& state() const { return state_; }
  /// Faults that concern the port itself: "pve-down", "pve-expired".
  bool has(const std::string& fault) const { return faults_.contains({fault, ""}); }
  std::function<void()> on_port_fault;

 private:
  /// A request that is read: what is asked for, below api2/json.
  struct Asked {
    std::string method;
    std::vector<std::string> path;
    std::map<std::string, std::string> values;
    std::string get(const std::string& key) const {
      const auto found = values.find(key);
      return found == values.end() ? std::string() : found->second;
    }
  };
  KubeReply judge(const KubeRequest& request);
  KubeReply route(const Asked& asked);
  KubeReply of_access(const Asked& asked);
  KubeReply of_cluster(const Asked& asked);
  KubeReply of_node(const Asked& asked);
  KubeReply of_vm(const Asked& asked, PveVm& vm);
  KubeReply of_agent(const PveVm& vm);
  KubeReply of_tasks(const Asked& asked);
  KubeReply of_storage(const Asked& asked);
  KubeReply create(const Asked& asked);
  KubeReply change_power(const Asked& asked, PveVm& vm, const std::string& what);
  KubeReply destroy(const Asked& asked, PveVm& vm);
  KubeReply set_config(const Asked& asked, PveVm& vm);

  /// All that release 8.4 has.
  static const std::vector<std::string>& known_privileges();
  bool may(const std::string& path, const std::string& privilege) const;
  std::vector<std::string> privileges_on(const std::string& path) const;
  nlohmann::json resource_of(const PveVm& vm) const;
  nlohmann::json task_row(const PveTask& task, bool listed) const;
  Machine* machine_of_vm(const PveVm& vm) const;
  bool is_running(const PveVm& vm) const;
  std::int64_t free_gib() const;

  PveTask& begin_task(const std::string& host, const std::string& type, VmId vm);
  void run_task(const std::string& upid);
  void end_task(const std::string& upid);
  std::string carry_out(PveTask& task);
  std::string make_vm(PveTask& task);
  void add_machine(PveVm& vm, Store* store);
  bool boots(const PveVm& vm) const;
  std::string lease(const PveVm& vm);
  bool is_on(const std::string& fault, const std::string& vm) const;
  /// Whether the fault strikes this time; it is used up then.
  bool strikes(const std::string& fault, const std::string& vm);
  std::string name_of_vm(VmId id) const;
  void save();

  Site& site_;
  Setup setup_;
  PveState state_;
  std::set<std::pair<std::string, std::string>> faults_;  // that last: name and VM, or all
  std::vector<std::pair<std::string, std::string>> once_;
  bool cut_reply_{false};
  std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
};

}  // namespace ichor::lab
