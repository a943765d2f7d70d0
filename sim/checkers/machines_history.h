#pragma once

#include <string>

#include "sim/checkers/history.h"
#include "sim/provider/request.h"
#include "sim/provider/vm_host.h"

namespace ichor::sim {

/// A history of a seed whose machines are made.
class MachinesHistory : public History {
 public:
  explicit MachinesHistory(std::string_view invariant) : History(invariant) {
    truth.provider = &host;
  }

  void asks(VmDeed deed, VmId id) { checker->on_vm_request(request(deed, id)); }

  /// A machine with our tag, of the node that has this number or of none.
  ProviderTaskId creates(VmId id) {
    VmSpec spec;
    spec.place = {"pve1", id};
    spec.tags = {"ichor-" + profile().name};
    for (const NodePlan& plan : profile().nodes) {
      if (plan.vmid == id) spec.name = plan.name.value();
    }
    const auto task = host.create(spec);
    check(task.has_value(), "the number is free");
    checker->on_vm_task(request(VmDeed::create, id), *task);
    return *task;
  }

  /// Every node gets a machine that runs; the journal knows of their tasks, or not.
  void makes_all(bool kept) {
    for (const NodePlan& plan : profile().nodes) {
      const ProviderTaskId made = creates(*plan.vmid);
      if (kept) records(RecordKind::observed, plan.name.value(), made.value());
    }
    passes(std::chrono::seconds(10));
    for (const NodePlan& plan : profile().nodes) host.vms.at(*plan.vmid).seen.running = true;
  }

  VmHost host{clock};

 private:
  VmRequest request(VmDeed deed, VmId id) const { return {process, deed, {"pve1", id}}; }
};

}  // namespace ichor::sim
