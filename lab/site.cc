#include "lab/site.h"

#include <algorithm>
#include <utility>

namespace ichor::lab {

std::string machine_file(const NodeName& name) { return name.value() + kMachineSuffix; }

Site::Site(LoopClock& clock, double time_scale, Random& random, Store& store, AddressBlock block,
           AddressMap map)
    : clock_(clock),
      time_scale_(time_scale),
      random_(random),
      store_(store),
      block_(std::move(block)),
      map_(std::move(map)),
      fabric_(random) {}

Site::~Site() {
  if (settling_ != 0) clock_.cancel(settling_);
}

Machine& Site::add(MachineRecord record) {
  const bool powered = record.powered;
  machines_.push_back(
      std::make_unique<Machine>(clock_, random_, fabric_, judge_, std::move(record)));
  Machine& machine = *machines_.back();
  machine.marks.revision = machine.node().disk_revision();
  machine.marks.powered = powered;
  machine.node().subscribe([this, &machine] { touch(machine); });
  return machine;
}

void Site::remove(Machine& machine) {
  machine.node().power_off();
  touch(machine);
  machine.marks.gone = true;
  std::erase(unsaved_, &machine);
  const auto found = std::find_if(machines_.begin(), machines_.end(),
                                  [&](const auto& one) { return one.get() == &machine; });
  if (found != machines_.end()) {
    removed_.push_back(std::move(*found));
    machines_.erase(found);
  }
  keep(machine_file(machine.name()), "");
}

void Site::keep(const std::string& file, std::string content) { kept_[file] = std::move(content); }

void Site::restore(sim::EtcdCluster cluster) {
  fabric_.restore_cluster(std::move(cluster));
  fabric_saved_ = fabric_mark();
}

Machine* Site::find(const NodeName& name) const {
  for (const auto& machine : machines_) {
    if (machine->name() == name) return machine.get();
  }
  return nullptr;
}

Machine* Site::at(const std::string& address) const {
  const IpAddress wanted = map_.loopback(IpAddress(address));
  for (const auto& machine : machines_) {
    const IpAddress now = machine->node().address();
    if (!now.value().empty() && map_.loopback(now) == wanted) return machine.get();
  }
  return nullptr;
}

IpAddress Site::loopback(const IpAddress& address) {
  const IpAddress known = map_.loopback(address);
  if (address.value().empty() || known.value().starts_with("127.")) return known;
  if (real_ && map_.entries().contains(address)) return known;
  map_.add(address, real_ ? address : block_.at(map_.entries().size()));
  map_unsaved_ = true;
  start_saving();
  return map_.loopback(address);
}

Result<RealAddresses::Lease> Site::lease(const std::string& address) {
  if (!real_) return RealAddresses::Lease();
  return real_->take(address);
}

bool Site::is_saved(const Machine& machine) {
  return machine.marks.revision == machine.node().disk_revision() &&
         machine.marks.powered == machine.node().powered();
}

void Site::touch(Machine& machine) {
  if (machine.marks.gone) return;
  if (!is_saved(machine) && !std::exchange(machine.marks.unsaved, true)) {
    unsaved_.push_back(&machine);
  }
  if (!std::exchange(machine.marks.touched, true)) touched_.push_back(&machine);
  if (settling_ == 0) settling_ = clock_.call_at(MonoTime::min(), [this] { settle(); });
}

Site::ListenerId Site::on_change(std::function<void(Machine&)> listener) {
  listeners_.emplace(next_listener_, std::move(listener));
  return next_listener_++;
}

void Site::forget(ListenerId id) { listeners_.erase(id); }

void Site::settle() {
  settling_ = 0;
  start_saving();
  for (Machine* machine : std::exchange(touched_, {})) {
    machine->marks.touched = false;
    // A listener may go, or let others go, while it is notified.
    for (auto next = listeners_.begin(); next != listeners_.end();) {
      const ListenerId id = next->first;
      const auto listener = next->second;
      listener(*machine);
      next = listeners_.upper_bound(id);
    }
  }
}

std::uint64_t Site::fabric_mark() const {
  std::uint64_t mark = 0;
  for (const auto& cluster : fabric_.clusters()) mark = mark * 31 + cluster->id + cluster->revision;
  return mark;
}

void Site::when_saved(std::function<void()> then) {
  if (lost_) return;
  const bool clean =
      unsaved_.empty() && kept_.empty() && !map_unsaved_ && fabric_saved_ == fabric_mark();
  if (clean && saving_) {
    waiting_.push_back(std::move(then));
    return;
  }
  waiting_next_.push_back(std::move(then));
  start_saving();
  if (!saving_) run(waiting_next_);
}

void Site::run(std::vector<std::function<void()>>& waiting) {
  for (const auto& then : std::exchange(waiting, {})) then();
}

void Site::start_saving() {
  if (saving_ || lost_) return;
  std::vector<StateFile> files;
  // Clusters come first: a data directory whose cluster is unknown would be a damaged member, a
  // cluster without data directories is only forgotten.
  if (fabric_saved_ != fabric_mark()) {
    std::vector<const sim::EtcdCluster*> clusters;
    for (const auto& cluster : fabric_.clusters()) clusters.push_back(cluster.get());
    files.push_back({kFabricFile, to_json(clusters)});
    fabric_saved_ = fabric_mark();
  }
  // Before the machines: what one of them has become since counts.
  for (auto& [name, content] : std::exchange(kept_, {})) {
    files.push_back({name, std::move(content)});
  }
  for (Machine* machine : std::exchange(unsaved_, {})) {
    machine->marks.revision = machine->node().disk_revision();
    machine->marks.powered = machine->node().powered();
    machine->marks.unsaved = false;
    files.push_back({machine_file(machine->name()), to_json(machine->record())});
  }
  if (std::exchange(map_unsaved_, false)) {
    if (auto written = write_address_map(store_.path(), map_); !written) {
      on_saved(written);
      return;
    }
  }
  if (files.empty()) return;
  saving_ = true;
  for (auto& then : std::exchange(waiting_next_, {})) waiting_.push_back(std::move(then));
  store_.write(std::move(files), [this](const Result<void>& result) { on_saved(result); });
}

void Site::on_saved(const Result<void>& result) {
  saving_ = false;
  if (!result) {
    // A failed sync is never tried again: who knows what is on the disk.
    lost_ = true;
    waiting_.clear();
    waiting_next_.clear();
    if (broken_) broken_(result.error());
    return;
  }
  run(waiting_);
  start_saving();
  if (!saving_) run(waiting_next_);
}

void Site::count_mutation(Machine& machine, std::string_view path) {
  ++mutations_;
  if (mutated_) mutated_(machine, path);
}

WallTime Site::wall_at(MonoTime moment) const {
  const auto ago = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - moment);
  const double real = static_cast<double>(ago.count()) / time_scale_;
  return {clock_.wall().unix_ms - static_cast<std::int64_t>(real)};
}

}  // namespace ichor::lab
