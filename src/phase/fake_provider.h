#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "async/signal.h"
#include "port/provider.h"

namespace ichor {

/// A provider in memory, with tasks that take time. It can fall silent at a call, before or after
/// the call has had its effect, so that whoever asked can be killed there.
class FakeProvider final : public Provider {
 public:
  struct Vm {
    VmSeen seen;
    bool made{false};
  };

  explicit FakeProvider(Clock& clock) : clock_(clock) {}

  // --- what it is asked to be
  int silent_at{0};  // the call with this number, from 1, is never answered
  bool after_effect{true};
  ProviderVersion release{8, 4, "8.4.1"};
  std::set<std::string> lacking;                  // privileges
  std::map<std::string, std::string> tasks_fail;  // by "KIND VMID": the result
  std::map<std::string, ProviderError> refusals;  // by "create 801": answered instead
  std::vector<std::string> images{"local:iso/talos.iso"};

  // --- what became of it
  int calls{0};
  bool silent{false};
  std::map<VmId, Vm> vms;
  std::map<VmId, int> created;  // how often each was created
  std::vector<VmId> destroyed;
  std::vector<ProviderTask> log;

  void add_foreign(VmId id, std::string name, std::string mac) {
    Vm& vm = vms[id];
    vm.made = true;
    vm.seen.place = {"pve1", id};
    vm.seen.name = std::move(name);
    vm.seen.config = VmConfig{{{"net0", "virtio=" + mac + ",bridge=vmbr0"}}};
  }

  Task<ProviderResult<ProviderVersion>> version(Context context) override {
    co_await answer(context);
    co_return release;
  }
  Task<ProviderResult<Privileges>> privileges(Context context, std::string) override {
    co_await answer(context);
    Privileges names;
    for (const char* name :
         {"VM.Allocate", "VM.Audit", "VM.PowerMgmt", "VM.Config.Disk", "VM.Config.CDROM",
          "VM.Config.CPU", "VM.Config.Memory", "VM.Config.Network", "VM.Config.HWType",
          "VM.Config.Options", "VM.Config.Cloudinit", "Datastore.AllocateSpace", "Datastore.Audit",
          "SDN.Use", "Pool.Allocate"}) {
      if (!lacking.contains(name)) names.emplace_back(name);
    }
    co_return names;
  }
  Task<ProviderResult<std::vector<VmSeen>>> machines(Context context) override {
    co_await answer(context);
    std::vector<VmSeen> seen;
    for (const auto& [id, vm] : vms) {
      seen.push_back(vm.seen);
      seen.back().config.reset();
      if (!vm.made) seen.back().tags.clear();
    }
    co_return seen;
  }
  Task<ProviderResult<VmConfig>> config(Context context, VmPlace place) override {
    co_await answer(context);
    const auto vm = vms.find(place.id);
    if (vm == vms.end() || !vm->second.seen.config) {
      co_return tl::unexpected(
          ProviderError{ProviderError::Kind::missing, Progress::answered, "config", "no such VM"});
    }
    co_return *vm->second.seen.config;
  }
  Task<ProviderResult<std::vector<std::string>>> volumes(Context context, std::string,
                                                         std::string) override {
    co_await answer(context);
    co_return images;
  }
  Task<ProviderResult<std::vector<ProviderTask>>> tasks(Context context, VmPlace place) override {
    co_await answer(context);
    std::vector<ProviderTask> mine;
    for (const ProviderTask& task : log) {
      if (task.vm == place.id) mine.insert(mine.begin(), task);
    }
    co_return mine;
  }
  Task<ProviderResult<ProviderTask>> task(Context context, ProviderTaskId id) override {
    co_await answer(context);
    for (const ProviderTask& task : log) {
      if (task.id == id) co_return task;
    }
    co_return tl::unexpected(
        ProviderError{ProviderError::Kind::missing, Progress::answered, "task", "no such task"});
  }
  Task<ProviderResult<std::vector<std::string>>> task_log(Context context,
                                                          ProviderTaskId) override {
    co_await answer(context);
    co_return std::vector<std::string>{};
  }
  Task<ProviderResult<std::vector<IpAddress>>> guest_addresses(Context context, VmPlace) override {
    co_await answer(context);
    co_return std::vector<IpAddress>{};
  }

  // No braces within a co_await: GCC 12 destroys such temporaries twice.
  Task<ProviderResult<ProviderTaskId>> create(Context context, VmSpec spec) override {
    co_return co_await change(context, "create", "qmcreate", spec.place, spec);
  }
  Task<ProviderResult<ProviderTaskId>> start(Context context, VmPlace place) override {
    VmSpec none;
    co_return co_await change(context, "start", "qmstart", place, std::move(none));
  }
  Task<ProviderResult<ProviderTaskId>> stop(Context context, VmPlace place) override {
    VmSpec none;
    co_return co_await change(context, "stop", "qmstop", place, std::move(none));
  }
  Task<ProviderResult<ProviderTaskId>> destroy(Context context, VmPlace place) override {
    VmSpec none;
    co_return co_await change(context, "destroy", "qmdestroy", place, std::move(none));
  }

 private:
  Task<void> hang(Context context) {
    silent = true;
    co_await never_.wait({context.clock, context.scope, kNever});
  }
  Task<void> answer(Context context) {
    if (++calls == silent_at) co_await hang(context);
  }

  Task<ProviderResult<ProviderTaskId>> change(Context context, std::string deed, std::string kind,
                                              VmPlace place, VmSpec spec) {
    const bool falls_silent = ++calls == silent_at;
    if (falls_silent && !after_effect) co_await hang(context);
    const auto refused = refusals.find(fmt::format("{} {}", deed, place.id));
    if (refused != refusals.end()) co_return tl::unexpected(refused->second);
    if (kind == "qmcreate" && vms.contains(place.id)) {
      co_return tl::unexpected(ProviderError{ProviderError::Kind::exists, Progress::answered,
                                             "create", "VM already exists"});
    }
    const ProviderTaskId id = begin(kind, place, std::move(spec));
    if (falls_silent) co_await hang(context);
    co_return id;
  }

  ProviderTaskId begin(const std::string& kind, const VmPlace& place, VmSpec spec) {
    ProviderTask task;
    task.id = ProviderTaskId(
        fmt::format("UPID:{}:{:08X}:{}:{}:", place.host, log.size(), kind, place.id));
    task.kind = kind;
    task.vm = place.id;
    task.started_s = clock_.wall().unix_ms / 1000;
    log.push_back(task);
    if (kind == "qmcreate") {
      ++created[place.id];
      vms[place.id].seen.place = place;
      vms[place.id].seen.lock = "create";
    }
    const std::size_t index = log.size() - 1;
    clock_.call_at(later(clock_.now(), std::chrono::seconds(4)),
                   [this, index, spec = std::move(spec)] { end(log[index], spec); });
    return task.id;
  }

  void end(ProviderTask& task, const VmSpec& spec) {
    const auto fails = tasks_fail.find(fmt::format("{} {}", task.kind, task.vm));
    task.running = false;
    task.result = fails == tasks_fail.end() ? "OK" : fails->second;
    task.ok = task.result == "OK";
    Vm& vm = vms[task.vm];
    if (task.kind == "qmcreate" && !task.ok) {
      vms.erase(task.vm);
    } else if (task.kind == "qmcreate") {
      vm.made = true;
      vm.seen.lock.clear();
      vm.seen.name = spec.name;
      vm.seen.tags = spec.tags;
      vm.seen.config =
          VmConfig{{{"net0", fmt::format("virtio={},bridge={}", spec.mac.value(), spec.bridge)},
                    {"tags", fmt::format("{}", fmt::join(spec.tags, ";"))},
                    {"machine", "q35"},
                    {"bios", "ovmf"},
                    {"efidisk0", "local-lvm:vm-disk-0"},
                    {"scsihw", "virtio-scsi-single"},
                    {"balloon", "0"},
                    {"agent", "enabled=1"}}};
    } else if (task.kind == "qmstart") {
      vm.seen.running = task.ok;
    } else if (task.kind == "qmstop") {
      vm.seen.running = false;
    } else if (task.kind == "qmdestroy") {
      destroyed.push_back(task.vm);
      vms.erase(task.vm);
    }
  }

  Clock& clock_;
  Signal never_;
};

}  // namespace ichor
