#include "sim/provider/vm_host.h"

#include <fmt/format.h>

namespace ichor::sim {

namespace {

/// The provider's clock. It is not the one of ichor's machine, which a fault sets back or forward.
std::int64_t provider_time_s(Clock& clock) {
  constexpr std::int64_t kStart = 1'790'000'000;
  return kStart +
         std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count();
}

using Kind = ProviderError::Kind;

constexpr Duration kTaskTime = std::chrono::seconds(4);

VmSeen shown(const VmHost::Vm& vm) {
  VmSeen seen = vm.seen;
  seen.config.reset();
  if (!vm.made) seen.tags.clear();
  return seen;
}

/// As lint rule C7 wants it.
VmConfig config_of(const VmSpec& spec) {
  return {{{"net0", fmt::format("virtio={},bridge={}", spec.mac.value(), spec.bridge)},
           {"tags", fmt::format("{}", fmt::join(spec.tags, ";"))},
           {"machine", spec.machine},
           {"bios", spec.bios},
           {"efidisk0", "local-lvm:vm-disk-0"},
           {"scsihw", spec.scsi_controller},
           {"balloon", spec.ballooning ? "512" : "0"},
           {"agent", spec.agent ? "enabled=1" : "enabled=0"}}};
}

}  // namespace

ProviderError VmHost::missing(std::string call) {
  return {Kind::missing, Progress::answered, std::move(call), "there is none"};
}

void VmHost::add_foreign(VmId id, std::string name, const std::string& mac) {
  Vm& vm = vms[id];
  vm.made = true;
  vm.seen.place = {"pve1", id};
  vm.seen.name = std::move(name);
  vm.seen.config = VmConfig{{{"net0", "virtio=" + mac + ",bridge=vmbr0"}}};
}

ProviderResult<ProviderTaskId> VmHost::create(const VmSpec& spec) {
  if (vms.contains(spec.place.id)) {
    return tl::unexpected(
        ProviderError{Kind::exists, Progress::answered, "create", "VM already exists"});
  }
  Vm& vm = vms[spec.place.id];
  vm.seen.place = spec.place;
  vm.seen.lock = "create";
  return begin("qmcreate", spec.place, spec);
}

ProviderResult<ProviderTaskId> VmHost::change(std::string kind, const VmPlace& place) {
  const auto vm = vms.find(place.id);
  if (vm == vms.end()) return tl::unexpected(missing(std::move(kind)));
  if (!vm->second.seen.lock.empty()) {
    return tl::unexpected(ProviderError{Kind::locked, Progress::answered, std::move(kind),
                                        "VM is locked (" + vm->second.seen.lock + ")"});
  }
  if (kind == "qmdestroy" && vm->second.seen.running) {
    return tl::unexpected(ProviderError{Kind::refused, Progress::answered, kind, "it runs"});
  }
  return begin(std::move(kind), place, {});
}

ProviderTaskId VmHost::begin(std::string kind, const VmPlace& place, const VmSpec& spec) {
  ProviderTask task;
  task.id =
      ProviderTaskId(fmt::format("UPID:{}:{:08X}:{}:{}:", place.host, log.size(), kind, place.id));
  task.kind = std::move(kind);
  task.vm = place.id;
  task.started_s = provider_time_s(clock_);
  log.push_back(task);
  const std::size_t index = log.size() - 1;
  clock_.call_at(later(clock_.now(), kTaskTime), [this, index, spec] { end(log[index], spec); });
  return task.id;
}

void VmHost::end(ProviderTask& task, const VmSpec& spec) {
  task.running = false;
  task.result = carry_out(task, spec);
  task.ok = task.result == "OK";
  if (on_end) on_end(task);
}

std::string VmHost::carry_out(const ProviderTask& task, const VmSpec& spec) {
  const auto found = vms.find(task.vm);
  if (found == vms.end()) return "Configuration file does not exist";
  Vm& vm = found->second;
  const std::string told = verdict ? verdict(task) : "OK";
  const bool creates = task.kind == "qmcreate";
  // Proxmox removes what it had started to make.
  if (told != "OK" && creates) vms.erase(found);
  if (told != "OK") return told;
  if (task.kind == "qmstart" && vm.seen.running) return "VM already running";
  if (task.kind == "qmstart") vm.seen.running = true;
  if (task.kind == "qmstop") vm.seen.running = false;
  if (creates) {
    vm.made = true;
    vm.seen.lock.clear();
    vm.seen.name = spec.name;
    vm.seen.tags = spec.tags;
    vm.seen.config = config_of(spec);
  }
  if (task.kind == "qmdestroy") vms.erase(found);
  return "OK";
}

std::vector<VmSeen> VmHost::list() const {
  std::vector<VmSeen> seen;
  for (const auto& [id, vm] : vms) seen.push_back(shown(vm));
  return seen;
}

ProviderResult<VmSeen> VmHost::machine(const VmPlace& place) const {
  const auto vm = vms.find(place.id);
  if (vm == vms.end()) return tl::unexpected(missing("machine"));
  return shown(vm->second);
}

ProviderResult<VmConfig> VmHost::config(const VmPlace& place) const {
  const auto vm = vms.find(place.id);
  if (vm == vms.end()) return tl::unexpected(missing("config"));
  return vm->second.seen.config.value_or(VmConfig{});
}

std::vector<ProviderTask> VmHost::tasks(const VmPlace& place) const {
  std::vector<ProviderTask> mine;
  for (auto task = log.rbegin(); task != log.rend(); ++task) {
    if (task->vm == place.id) mine.push_back(*task);
  }
  return mine;
}

ProviderResult<ProviderTask> VmHost::task(const ProviderTaskId& id) const {
  for (const ProviderTask& task : log) {
    if (task.id == id) return task;
  }
  return tl::unexpected(missing("task"));
}

const Privileges& sim_privileges() {
  static const Privileges names = {"VM.Allocate",         "VM.Audit",
                                   "VM.PowerMgmt",        "VM.Config.Disk",
                                   "VM.Config.CDROM",     "VM.Config.CPU",
                                   "VM.Config.Memory",    "VM.Config.Network",
                                   "VM.Config.HWType",    "VM.Config.Options",
                                   "VM.Config.Cloudinit", "Datastore.AllocateSpace",
                                   "Datastore.Audit",     "SDN.Use"};
  return names;
}

}  // namespace ichor::sim
