#include "lab/proxmox/cluster.h"

#include <algorithm>
#include <fmt/format.h>

#include "lab/proxmox/machines.h"

namespace ichor::lab {

namespace {

using std::chrono::seconds;

constexpr Duration kCreateTime = seconds(12);
constexpr Duration kPowerTime = seconds(3);
constexpr Duration kDestroyTime = seconds(5);
constexpr std::size_t kTasksMax = 2000;

}  // namespace

PveCluster::PveCluster(Site& site, Setup setup, PveState state)
    : site_(site), setup_(std::move(setup)), state_(std::move(state)) {}

PveCluster::~PveCluster() { *alive_ = false; }

void PveCluster::restore(Store& store) {
  for (auto& [id, vm] : state_.vms) {
    if (!vm.machine.empty()) add_machine(vm, &store);
  }
  for (const PveTask& task : state_.tasks) {
    if (task.running) run_task(task.upid);
  }
}

void PveCluster::save() { site_.keep(kPveFile, to_json(state_)); }

// --- machines

Machine* PveCluster::machine_of_vm(const PveVm& vm) const {
  return vm.machine.empty() ? nullptr : site_.find(NodeName(vm.machine));
}

bool PveCluster::is_running(const PveVm& vm) const {
  const auto on = vm.config.find("lab-on");
  if (on != vm.config.end()) return true;  // it runs, and boots nothing
  const Machine* machine = machine_of_vm(vm);
  return machine && machine->node().powered();
}

std::string PveCluster::lease(const PveVm& vm) {
  const auto fixed = vm.config.find("ipconfig0");
  if (fixed != vm.config.end()) {
    const std::string cidr = option_of(fixed->second, "ip");
    if (cidr != "dhcp" && !cidr.empty()) return cidr.substr(0, cidr.find('/'));
  }
  const std::string mac = mac_of(vm);
  if (const auto known = state_.leases.find(mac); known != state_.leases.end()) {
    return known->second;
  }
  for (const std::string& address : setup_.pool) {
    const bool taken = std::any_of(state_.leases.begin(), state_.leases.end(),
                                   [&](const auto& one) { return one.second == address; });
    if (taken) continue;
    state_.leases[mac] = address;
    return address;
  }
  return {};
}

void PveCluster::add_machine(PveVm& vm, Store* store) {
  if (vm.machine.empty()) {
    vm.machine = vm.config["name"];
    if (vm.machine.empty() || site_.find(NodeName(vm.machine))) {
      vm.machine = fmt::format("vm-{}", vm.id);
    }
  }
  MachineRecord record = machine_of(vm, vm.machine, lease(vm), setup_.personality);
  const std::string file = machine_file(NodeName(vm.machine));
  if (store) {
    const auto text = store->read(file);
    auto known = text && !text->empty() ? machine_from_json(*text)
                                        : Result<MachineRecord>(tl::unexpect, Error{});
    if (known) record = *std::move(known);
  } else {
    site_.keep(file, to_json(record));
  }
  site_.add(std::move(record));
}

bool PveCluster::boots(const PveVm& vm) const {
  if (is_on("pve-no-boot", vm.config.contains("name") ? vm.config.at("name") : "")) return false;
  const Machine* machine = machine_of_vm(vm);
  const bool installed = machine && machine->node().disk().installed;
  const auto image = vm.config.find("ide2");
  return installed || (image != vm.config.end() && image->second.find("iso") != std::string::npos);
}

// --- tasks

PveTask& PveCluster::begin_task(const std::string& host, const std::string& type, VmId vm) {
  PveTask task;
  task.host = host;
  task.type = type;
  task.vm = vm;
  task.started_s = site_.clock().wall().unix_ms / 1000;
  const std::uint64_t number = ++state_.counter;
  const std::string user = state_.token.substr(0, state_.token.find('='));
  task.upid = fmt::format("UPID:{}:{:08X}:{:08X}:{:08X}:{}:{}:{}:", host, 0x1000 + number,
                          0x00A00000 + number, task.started_s, type, vm, user);
  if (state_.tasks.size() >= kTasksMax) state_.tasks.erase(state_.tasks.begin());
  state_.tasks.push_back(std::move(task));
  save();
  run_task(state_.tasks.back().upid);
  return state_.tasks.back();
}

void PveCluster::run_task(const std::string& upid) {
  const PveTask* task = state_.find_task(upid);
  const Duration takes = task->type == "qmcreate"    ? kCreateTime
                         : task->type == "qmdestroy" ? kDestroyTime
                                                     : kPowerTime;
  site_.clock().call_at(later(site_.clock().now(), takes), [this, alive = alive_, upid] {
    if (*alive) end_task(upid);
  });
}

void PveCluster::end_task(const std::string& upid) {
  PveTask* task = state_.find_task(upid);
  if (!task || !task->running) return;
  task->result = carry_out(*task);
  task->running = false;
  task->log.push_back(task->result == "OK" ? "TASK OK" : "TASK ERROR: " + task->result);
  save();
  site_.when_saved([] {});
}

std::string PveCluster::carry_out(PveTask& task) {
  const auto found = state_.vms.find(task.vm);
  if (found == state_.vms.end()) {
    return fmt::format("Configuration file 'nodes/{}/qemu-server/{}.conf' does not exist",
                       task.host, task.vm);
  }
  PveVm& vm = found->second;
  if (task.type == "qmcreate") return make_vm(task);
  vm.lock.clear();
  if (strikes("pve-task-fails", name_of_vm(vm.id))) {
    return "command '/usr/bin/kvm -id " + fmt::to_string(vm.id) + "' failed: exit code 1";
  }
  Machine* machine = machine_of_vm(vm);
  if (task.type == "qmstart" && is_running(vm)) {
    return fmt::format("VM {} already running", vm.id);
  }
  if (task.type == "qmstart") {
    if (boots(vm) && machine) {
      machine->node().power_on();
      site_.touch(*machine);
    } else {
      vm.config["lab-on"] = "1";
    }
  } else if (task.type == "qmstop" || task.type == "qmshutdown") {
    vm.config.erase("lab-on");
    if (machine) {
      machine->node().power_off();
      site_.touch(*machine);
    }
  } else if (task.type == "qmdestroy") {
    if (machine) site_.remove(*machine);
    state_.leases.erase(mac_of(vm));
    state_.vms.erase(found);
  }
  return "OK";
}

std::string PveCluster::make_vm(PveTask& task) {
  PveVm& vm = state_.vms.at(task.vm);
  std::string trouble;
  std::int64_t wanted_gib = 0;
  PveVm planned = vm;
  planned.config = task.wanted;
  for (const std::int64_t gib : disks_of(planned)) wanted_gib += gib;
  if (strikes("pve-task-fails", planned.config["name"])) {
    trouble = fmt::format(
        "unable to create VM {} - lvcreate 'pve/vm-{}-disk-0' error: Aborting. "
        "Failed to wipe start of new LV.",
        vm.id, vm.id);
  } else if (wanted_gib > free_gib()) {
    trouble = fmt::format(
        "unable to create VM {} - lvcreate 'pve/vm-{}-disk-0' error: Volume group "
        "has insufficient free space, out of space",
        vm.id, vm.id);
  }
  if (!trouble.empty()) {
    // Proxmox removes what it had started.
    state_.vms.erase(task.vm);
    return trouble;
  }
  vm.config = task.wanted;
  vm.lock.clear();
  int disk = 0;
  for (auto& [key, value] : vm.config) {
    const bool volume =
        (key.starts_with("scsi") && key != "scsihw") || key == "efidisk0" || key == "tpmstate0";
    if (!volume) continue;
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string asked = value.substr(0, comma);
    const std::size_t colon = asked.find(':');
    const std::string size = key.starts_with("scsi") ? asked.substr(colon + 1) + "G" : "4M";
    value = fmt::format("{}:vm-{}-disk-{}{},size={}", asked.substr(0, colon), vm.id, disk++,
                        value.substr(comma), size);
  }
  add_machine(vm, nullptr);
  return "OK";
}

std::int64_t PveCluster::free_gib() const {
  std::int64_t used = is_on("pve-storage-full", "") ? kStorageGib : 0;
  for (const auto& [id, vm] : state_.vms) {
    for (const std::int64_t gib : disks_of(vm)) used += gib;
  }
  return kStorageGib - used;
}

// --- faults

std::string PveCluster::name_of_vm(VmId id) const {
  const auto vm = state_.vms.find(id);
  if (vm == state_.vms.end()) return {};
  const auto name = vm->second.config.find("name");
  return name == vm->second.config.end() ? std::string() : name->second;
}

bool PveCluster::is_on(const std::string& fault, const std::string& vm) const {
  return faults_.contains({fault, ""}) || (!vm.empty() && faults_.contains({fault, vm}));
}

bool PveCluster::strikes(const std::string& fault, const std::string& vm) {
  const auto found = std::find_if(once_.begin(), once_.end(), [&](const auto& one) {
    return one.first == fault && (one.second.empty() || one.second == vm);
  });
  if (found == once_.end()) return false;
  once_.erase(found);
  return true;
}

Result<std::string> PveCluster::inject(const Injection& injection) {
  const std::pair<std::string, std::string> fault{injection.fault, injection.node.value()};
  if (injection.fault == "pve-task-fails" || injection.fault == "pve-lost-reply") {
    once_.push_back(fault);
  } else if (injection.fault == "pve-clear") {
    faults_.clear();
    once_.clear();
  } else {
    faults_.insert(fault);
    if (injection.lasts > Duration{}) {
      site_.clock().call_at(later(site_.clock().now(), injection.lasts),
                            [this, alive = alive_, fault] {
                              if (!*alive) return;
                              faults_.erase(fault);
                              if (on_port_fault) on_port_fault();
                            });
    }
  }
  if (on_port_fault) on_port_fault();
  return "Proxmox" + (fault.second.empty() ? "" : ", " + fault.second) + ": " + fault.first;
}

// --- privileges

const std::vector<std::string>& PveCluster::known_privileges() {
  static const std::vector<std::string> names = {"Datastore.Allocate",
                                                 "Datastore.AllocateSpace",
                                                 "Datastore.AllocateTemplate",
                                                 "Datastore.Audit",
                                                 "Group.Allocate",
                                                 "Mapping.Use",
                                                 "Permissions.Modify",
                                                 "Pool.Allocate",
                                                 "Pool.Audit",
                                                 "Realm.Allocate",
                                                 "SDN.Allocate",
                                                 "SDN.Audit",
                                                 "SDN.Use",
                                                 "Sys.Audit",
                                                 "Sys.Modify",
                                                 "User.Modify",
                                                 "VM.Allocate",
                                                 "VM.Audit",
                                                 "VM.Backup",
                                                 "VM.Clone",
                                                 "VM.Config.CDROM",
                                                 "VM.Config.CPU",
                                                 "VM.Config.Cloudinit",
                                                 "VM.Config.Disk",
                                                 "VM.Config.HWType",
                                                 "VM.Config.Memory",
                                                 "VM.Config.Network",
                                                 "VM.Config.Options",
                                                 "VM.Console",
                                                 "VM.Migrate",
                                                 "VM.Monitor",
                                                 "VM.PowerMgmt",
                                                 "VM.Snapshot"};
  return names;
}

std::vector<std::string> PveCluster::privileges_on(const std::string& path) const {
  std::vector<std::string> names;
  // A token with privilege separation and no rights of its own.
  if (is_on("pve-no-rights", "")) return names;
  for (const std::string& name : known_privileges()) {
    // The token is no administrator.
    const bool high = name == "Permissions.Modify" || name == "Realm.Allocate" ||
                      name == "User.Modify" || name == "Group.Allocate" || name == "Sys.Modify";
    if (high) continue;
    const bool lacking = is_on("pve-no-privilege", "") &&
                         (name == "VM.Allocate" || (name == "SDN.Use" && path.starts_with("/sdn")));
    if (!lacking) names.push_back(name);
  }
  return names;
}

bool PveCluster::may(const std::string& path, const std::string& privilege) const {
  const std::vector<std::string> names = privileges_on(path);
  return std::find(names.begin(), names.end(), privilege) != names.end();
}

}  // namespace ichor::lab
