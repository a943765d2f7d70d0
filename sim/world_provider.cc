#include <fmt/format.h>

#include "sim/provider/request.h"
#include "sim/provider/vm_host.h"
#include "sim/world.h"

namespace ichor::sim {

// The part of the world in which machines are made.

const ProviderPlan& SimWorld::provider_plan() {
  static const ProviderPlan plan = [] {
    ProviderPlan made;
    made.hosts = {"pve1", "pve2"};
    made.storage = "local-lvm";
    made.image = "local:iso/talos.iso";
    return made;
  }();
  return plan;
}

void SimWorld::build_provider() {
  profile_.proxmox.emplace();
  vm_host_ = std::make_unique<VmHost>(clock_);
  vm_host_->add_foreign(700, "other", "bc:24:11:00:00:07");
  const auto boot = [this](VmId id) {
    for (std::size_t i = 0; i < nodes_.size() && i < profile_.nodes.size(); ++i) {
      const bool meant = profile_.nodes[i].vmid == id;
      if (meant && !nodes_[i]->powered() && may_run(*nodes_[i])) nodes_[i]->power_on();
    }
  };
  vm_host_->on_end = [this, boot](const ProviderTask& task) {
    trace_.add(task.result);
    trace_.line(clock_.now(), fmt::format("task {} ends: {}", task.id.value(), task.result));
    if (!task.ok || task.kind != "qmstart") return;
    const Duration delay = vm_host_->boot_delay ? vm_host_->boot_delay(task.vm) : Duration{};
    if (delay == Duration{}) return boot(task.vm);
    clock_.call_at(later(clock_.now(), delay), [boot, id = task.vm] { boot(id); });
  };
  truth_.provider = vm_host_.get();
}

bool SimWorld::may_run(const Node& node) const {
  if (!vm_host_) return true;
  for (const NodePlan& plan : profile_.nodes) {
    if (plan.name != node.spec().name || !plan.vmid) continue;
    const auto vm = vm_host_->vms.find(*plan.vmid);
    return vm != vm_host_->vms.end() && vm->second.made && vm->second.seen.running;
  }
  return false;
}

ProviderPassage SimWorld::provider_passage(const std::optional<VmRequest>& change) {
  ProviderPassage passage;
  passage.change = change;
  for (const Armed& armed : faults_) {
    if (!quiet_) armed.fault->on_provider_passage(*this, passage);
  }
  return passage;
}

void SimWorld::note_vm_request(const VmRequest& request) {
  trace_.add(clock_.now());
  trace_.add(std::string_view("vm"));
  trace_.line(clock_.now(), fmt::format("run {} → {} VM {}", request.process, name_of(request.deed),
                                        request.place.id));
  for (const auto& checker : checkers_) checker->on_vm_request(request);
}

void SimWorld::note_vm_task(const VmRequest& request, const ProviderTaskId& task) {
  trace_.add(task.value());
  for (const auto& checker : checkers_) checker->on_vm_task(request, task);
}

}  // namespace ichor::sim
