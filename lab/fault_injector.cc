#include "lab/fault_injector.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ichor::lab {

namespace {

constexpr Duration kSlow = std::chrono::milliseconds(500);
constexpr int kTrickle = 8000;

const FaultKind* find_fault(const std::string& name) {
  const auto& kinds = fault_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const FaultKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

std::optional<CallFault::Kind> call_fault(const std::string& name) {
  if (name == "lost-reply") return CallFault::Kind::lose_reply;
  if (name == "crash-after") return CallFault::Kind::crash_after;
  if (name == "transient") return CallFault::Kind::unavailable;
  if (name == "overloaded") return CallFault::Kind::overloaded;
  return std::nullopt;
}

}  // namespace

Result<std::string> FaultInjector::inject(const Injection& injection) {
  const FaultKind* kind = find_fault(injection.fault);
  if (kind == nullptr) return fail(Errc::invalid, "there is no fault \"" + injection.fault + "\"");
  if (!injection.call.empty() && !kind->of_call) {
    return fail(Errc::invalid, injection.fault + " does not strike one call: leave out --call");
  }
  if (injection.fault.starts_with("pve-")) {
    if (!proxmox_) return fail(Errc::invalid, "this lab has no Proxmox API");
    return proxmox_->inject(injection);
  }
  if (injection.fault == "clear" && injection.node.value().empty() && proxmox_) {
    Injection all = injection;
    all.fault = "pve-clear";
    (void)proxmox_->inject(all);
  }
  std::vector<Machine*> machines;
  if (injection.node.value().empty()) {
    for (const auto& machine : site_.machines()) machines.push_back(machine.get());
  } else if (Machine* machine = site_.find(injection.node)) {
    machines.push_back(machine);
  } else {
    return fail(Errc::invalid, "there is no node \"" + injection.node.value() + "\"");
  }
  for (Machine* machine : machines) {
    if (injection.fault == "clear") {
      clear(*machine);
    } else if (kind->lasts) {
      set(*machine, injection.fault, true);
      if (injection.lasts <= Duration{}) continue;
      const MonoTime end = later(site_.clock().now(), injection.lasts);
      site_.clock().call_at(
          end, [this, machine, fault = injection.fault] { set(*machine, fault, false); });
    } else {
      apply(*machine, injection);
    }
  }
  const std::string who =
      injection.node.value().empty() ? "every node" : "node " + injection.node.value();
  return who + ": " + injection.fault;
}

void FaultInjector::schedule(const std::vector<ScheduledFault>& plan) {
  for (const ScheduledFault& fault : plan) {
    site_.clock().call_at(later(site_.clock().now(), fault.at),
                          [this, injection = fault.injection] { (void)inject(injection); });
  }
}

void FaultInjector::apply(Machine& machine, const Injection& injection) {
  const std::string& fault = injection.fault;
  sim::Node& node = machine.node();
  if (const auto kind = call_fault(fault)) {
    machine.faults.calls.push_back({*kind, injection.call});
  }
  if (fault == "half-open") talos_.hush(machine);
  if (fault == "new-key") {
    ++machine.faults.keys_made;
    talos_.refresh(machine);
    talos_.cut(machine);
  }
  if (fault == "reset") {
    talos_.cut(machine);
    kube_.cut(machine);
  }
  if (fault == "crash") node.power_cycle();
  if (fault == "power-off") node.power_off();
  if (fault == "power-on") node.power_on();
  if (fault == "reboot") (void)node.reboot(kInsider);
  if (fault == "alarm-nospace") node.raise_alarm(EtcdAlarmKind::no_space);
  if (fault == "alarm-corrupt") node.raise_alarm(EtcdAlarmKind::corrupt);
  site_.touch(machine);
}

void FaultInjector::set(Machine& machine, const std::string& fault, bool on) {
  sim::Node& node = machine.node();
  WireFaults& wire = machine.faults;
  if (fault == "refuse") wire.refuse = on;
  if (fault == "blackhole") wire.silent = on;
  if (fault == "slow") wire.delay = on ? kSlow : Duration{};
  if (fault == "trickle") wire.bytes_per_s = on ? kTrickle : 0;
  if (fault == "disk-data") wire.disk_data = on;
  if (fault == "two-disks") wire.two_disks = on;
  if (fault == "evil-kubeconfig") wire.evil_kubeconfig = on;
  if (fault == "wrong-ca") {
    wire.foreign_ca = on;
    talos_.refresh(machine);
    talos_.cut(machine);
  }
  if (fault == "pull-fails") node.fail_install_pull(on);
  if (fault == "image-missing") node.miss_image(on);
  if (fault == "image-broken") node.break_image(on);
  if (fault == "installer-fails") node.fail_installer(on);
  if (fault == "freeze") node.freeze(on);
  if (fault == "learner-stuck") node.hold_learner(on);
  if (fault == "time-unsynced") node.hold_time_sync(on);
  if (fault == "apply-busy") node.hold_apply(on);
  if (on) {
    machine.lasting.insert(fault);
  } else {
    machine.lasting.erase(fault);
  }
  talos_.apply_faults(machine);
  kube_.apply_faults(machine);
  site_.touch(machine);
}

void FaultInjector::clear(Machine& machine) {
  for (const std::string& fault : std::set(machine.lasting)) set(machine, fault, false);
  machine.faults.calls.clear();
}

}  // namespace ichor::lab
