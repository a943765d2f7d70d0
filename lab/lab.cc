#include "lab/lab.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <fmt/format.h>
#include <future>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "base/url.h"
#include "lab/control_server.h"
#include "lab/diary.h"
#include "lab/fault_injector.h"
#include "lab/hardware.h"
#include "lab/kube/service.h"
#include "lab/proxmox/service.h"
#include "lab/site.h"
#include "lab/talos/service.h"
#include "os/loop_clock.h"
#include "os/signals.h"
#include "os/system_random.h"

namespace ichor::lab {

namespace {

constexpr const char* kLabFile = "lab.json";
/// The machines as they were made, all in one file: a thousand files would be a thousand syncs.
/// What changes later has a file of its own, which counts instead.
constexpr const char* kMachinesFile = "machines.json";
/// Ports and watches of Kubernetes follow the machines this far behind, in the lab's time per unit
/// of scale: many machines change together.
constexpr Duration kKubeDelay = std::chrono::milliseconds(20);
constexpr Duration kSweepEvery = std::chrono::seconds(1);

bool is_address(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

/// Every address of the profile that a client may dial, in the order in which they get their place.
std::vector<IpAddress> addresses_of(const ClusterProfile& profile) {
  std::vector<IpAddress> addresses;
  const auto add = [&](const std::string& address) {
    if (!is_address(address)) return;
    if (std::find(addresses.begin(), addresses.end(), IpAddress(address)) == addresses.end()) {
      addresses.push_back(IpAddress(address));
    }
  };
  for (const NodePlan& node : profile.nodes) add(node.address.value());
  for (const NodePlan& node : profile.nodes) add(node.maintenance_address.value());
  add(profile.network.vip);
  add(host_of(profile.network.api_endpoint));
  return addresses;
}

void prepare_process() {
  std::signal(SIGPIPE, SIG_IGN);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

struct Ground {
  std::unique_ptr<Store> store;
  AddressMap map;
  std::optional<AddressBlock> block;
};

/// Finds or makes the addresses of a lab.
Result<Ground> prepare_ground(const ClusterProfile& profile, const LabOptions& options,
                              LoopClock& loop) {
  Ground ground;
  auto store = Store::open(options.state_dir, loop);
  if (!store) return forward_error(store);
  ground.store = std::move(*store);
  const auto text = ground.store->read(kLabFile);
  if (!text) return forward_error(text);
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  std::string first = json.is_object() ? json.value("base_address", "") : "";
  if (!options.base_address.empty()) {
    if (!first.empty() && first != options.base_address) {
      return fail(Errc::invalid, "the lab in " + options.state_dir + " has its addresses from " +
                                     first + " on already");
    }
    first = options.base_address;
  }
  if (json.is_object()) {
    auto known = read_address_map(options.state_dir);
    if (!known) return forward_error(known);
    ground.map = std::move(*known);
  }
  std::vector<IpAddress> addresses = addresses_of(profile);
  if (options.proxmox) {
    for (const std::string& one : pool_of(profile)) addresses.emplace_back(one);
  }
  const std::size_t room = ground.map.entries().size() + addresses.size() + 64;
  auto block = AddressBlock::claim(first, ground.store->path(), room);
  if (!block) return forward_error(block);
  ground.block.emplace(std::move(*block));
  for (const IpAddress& address : addresses) {
    if (ground.map.entries().contains(address)) continue;
    const bool as_it_is = !options.real_device.empty() || address.value().starts_with("127.");
    ground.map.add(address, as_it_is ? address : ground.block->at(ground.map.entries().size()));
  }
  if (auto written = write_address_map(options.state_dir, ground.map); !written) {
    return forward_error(written);
  }
  const nlohmann::json facts = {{"base_address", ground.block->first()}, {"cluster", profile.name}};
  const std::vector<StateFile> files = {{kLabFile, facts.dump(2) + "\n"}};
  if (auto written = replace_files(ground.store->folder(), files); !written) {
    return forward_error(written);
  }
  return ground;
}

}  // namespace

class Lab::Impl {
 public:
  Impl(LabOptions options, double scale) : options_(std::move(options)), loop_(scale) {}

  ~Impl() {
    if (thread_.joinable()) {
      loop_.post([this] {
        control_.reset();
        site_->when_saved([this] { end_loop(); });
      });
      thread_.join();
    }
  }

  LoopClock& loop() { return loop_; }

  Result<void> prepare(const ClusterProfile& profile, Ground ground) {
    store_ = std::move(ground.store);
    site_ = std::make_unique<Site>(loop_, options_.time_scale, random_, *store_,
                                   std::move(*ground.block), std::move(ground.map));
    if (!options_.real_device.empty()) {
      auto real = RealAddresses::on(options_.real_device);
      if (!real) return forward_error(real);
      site_->use_real_addresses(*std::move(real));
    }
    auto had = store_->read(kPveFile);
    if (!had) return forward_error(had);
    options_.proxmox = options_.proxmox || !had->empty();
    if (options_.proxmox && !options_.provider) {
      return fail(Errc::invalid, "the profile has no providers.proxmox with a url any more");
    }
    if (auto restored = restore(profile); !restored) return restored;
    talos_ = std::make_unique<TalosService>(*site_, options_.talos_port);
    kube_ = std::make_unique<KubeService>(*site_, options_.kube_port);
    if (options_.proxmox) {
      auto proxmox = ProxmoxService::open(*site_, *store_, profile, *options_.provider);
      if (!proxmox) return forward_error(proxmox);
      proxmox_ = *std::move(proxmox);
    }
    injector_ = std::make_unique<FaultInjector>(*site_, *talos_, *kube_, proxmox_.get());
    site_->on_change([this](Machine& machine) { on_change(machine); });
    if (!options_.diary.empty()) {
      auto diary = Diary::open(options_.diary, *site_);
      if (!diary) return forward_error(diary);
      diary_ = std::move(*diary);
    }
    site_->on_broken([this](const Error& error) {
      {
        const std::lock_guard lock(mutex_);
        broken_ = error.message;
      }
      request_stop();
    });
    auto control = ControlServer::open(
        loop_, store_->folder(),
        {[this] { return status_now(); },
         [this](const Injection& injection) { return injector_->inject(injection); },
         [this] { request_stop(); }});
    if (!control) return forward_error(control);
    control_ = std::move(*control);
    return {};
  }

  void run() {
    addresses_ = site_->addresses();
    thread_ = std::thread([this] { loop_.run(); });
    on_loop<int>([this] {
      for (const auto& machine : site_->machines()) {
        if (!machine->marks.powered) continue;
        // Machines are as they were left: that this process ended is no power cut of theirs.
        machine->node().resume_learner();
        machine->node().power_on();
      }
      injector_->schedule(options_.faults);
      sweep();
      return 0;
    });
  }

  template <class T>
  T on_loop(std::function<T()> work) {
    std::promise<T> promise;
    auto future = promise.get_future();
    loop_.post([&] { promise.set_value(work()); });
    return future.get();
  }

  LabStatus status_now() {
    LabStatus status;
    status.pid = ::getpid();
    status.state_dir = store_->path();
    status.time_scale = options_.time_scale;
    for (const auto& machine : site_->machines()) status.nodes.push_back(report(*machine));
    for (const auto& cluster : site_->fabric().clusters()) {
      const bool lives = std::any_of(
          site_->machines().begin(), site_->machines().end(),
          [&](const auto& machine) { return machine->node().disk().etcd_cluster == cluster->id; });
      if (lives) status.etcd_clusters.push_back(fmt::format("{:016x}", cluster->id));
    }
    if (!site_->machines().empty()) {
      const sim::NodeSpec& spec = site_->machines().front()->node().spec();
      status.talos_version = to_text(sim::version_of(spec));
    }
    status.kubernetes_api = kube_->url();
    status.mutations = site_->mutations();
    return status;
  }

  void request_stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stopped_.notify_all();
  }

  int wait(bool on_signals) {
    int signal = 0;
    std::unique_ptr<StopSignals> signals;
    if (on_signals) {
      signals = std::make_unique<StopSignals>(loop_, [this, &signal](int number) {
        signal = number;
        request_stop();
      });
    }
    std::unique_lock lock(mutex_);
    stopped_.wait(lock, [this] { return stopping_; });
    return signal;
  }

  std::string trouble() const {
    const std::lock_guard lock(mutex_);
    return broken_;
  }

  FaultInjector& injector() { return *injector_; }
  const AddressMap& addresses() const { return addresses_; }

 private:
  Result<void> restore(const ClusterProfile& profile) {
    const auto text = store_->read(kFabricFile);
    if (!text) return forward_error(text);
    if (!text->empty()) {
      auto clusters = clusters_from_json(*text);
      if (!clusters) return damaged(kFabricFile);
      for (sim::EtcdCluster& cluster : *clusters) site_->restore(std::move(cluster));
    }
    if (options_.proxmox) return {};  // whoever makes the machines finds them
    const auto made = store_->read(kMachinesFile);
    if (!made) return forward_error(made);
    auto records = nlohmann::json::parse(made->empty() ? "{}" : *made, nullptr, false);
    if (!records.is_object()) return damaged(kMachinesFile);
    const std::size_t known_count = records.size();
    for (const NodePlan& plan : profile.nodes) {
      const std::string& name = plan.name.value();
      if (!records.contains(name)) {
        MachineRecord fresh;
        fresh.spec = machine_for(
            plan, options_.personality.value_or(sim::nearest_personality(profile.talos.version)),
            options_.platform);
        fresh.link = link_of(plan);
        records[name] = to_json(fresh);
      }
      auto known = store_->read(machine_file(plan.name));
      if (!known) return forward_error(known);
      if (known->empty()) known = records[name].get<std::string>();
      auto record = machine_from_json(*known);
      if (!record) return damaged(machine_file(plan.name));
      site_->add(std::move(*record));
    }
    if (records.size() == known_count) return {};
    const std::vector<StateFile> files = {{kMachinesFile, records.dump(1) + "\n"}};
    return replace_files(store_->folder(), files);
  }

  tl::unexpected<Error> damaged(const std::string& file) const {
    return fail(Errc::invalid, store_->path() + "/" + file + " is damaged");
  }

  NodeReport report(Machine& machine) {
    const sim::Node& node = machine.node();
    NodeReport report;
    report.name = machine.name();
    report.address = IpAddress(machine.home());
    report.loopback = site_->loopback(report.address);
    report.stage = node.stage();
    if (const auto status = node.machine_status(kInsider)) report.ready = status->ready;
    report.port = port_name(node.listener());
    report.fingerprint = talos_->fingerprint(machine);
    report.hostname = node.hostname().value();
    report.installed = node.disk().installed;
    report.etcd_member = node.disk().etcd_cluster.has_value();
    report.faults.assign(machine.lasting.begin(), machine.lasting.end());
    return report;
  }

  void on_change(Machine& machine) {
    talos_->refresh(machine);
    if (std::exchange(kube_pending_, true)) return;
    const auto delay = Duration(
        static_cast<Duration::rep>(static_cast<double>(kKubeDelay.count()) * options_.time_scale));
    loop_.call_at(later(loop_.now(), delay), [this] {
      kube_pending_ = false;
      if (kube_) kube_->refresh();
    });
  }

  /// Changes that no watch could see are found too, a little later.
  void sweep() {
    for (const auto& machine : site_->machines()) site_->touch(*machine);
    const auto delay = Duration(
        static_cast<Duration::rep>(static_cast<double>(kSweepEvery.count()) * options_.time_scale));
    loop_.call_at(later(loop_.now(), delay), [this] { sweep(); });
  }

  void end_loop() {
    proxmox_.reset();
    kube_.reset();
    talos_.reset();
    loop_.stop();
  }

  LabOptions options_;
  LoopClock loop_;
  SystemRandom random_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Site> site_;
  std::unique_ptr<Diary> diary_;
  std::unique_ptr<TalosService> talos_;
  std::unique_ptr<KubeService> kube_;
  std::unique_ptr<ProxmoxService> proxmox_;
  std::unique_ptr<FaultInjector> injector_;
  std::unique_ptr<ControlServer> control_;
  AddressMap addresses_;
  bool kube_pending_{false};
  std::string broken_;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_{false};
};

Lab::Lab(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Lab::~Lab() = default;

Result<std::unique_ptr<Lab>> Lab::start(const ClusterProfile& profile, LabOptions options) {
  if (!(options.time_scale > 0)) return fail(Errc::invalid, "the time scale must be above zero");
  prepare_process();
  if (!options.real_device.empty()) {
    // Asked before anything is written: the folder would remember where its machines are.
    auto allowed = RealAddresses::on(options.real_device);
    if (!allowed) return forward_error(allowed);
  }
  auto impl = std::make_unique<Impl>(options, options.time_scale);
  auto ground = prepare_ground(profile, options, impl->loop());
  if (!ground) return forward_error(ground);
  if (auto prepared = impl->prepare(profile, std::move(*ground)); !prepared) {
    return forward_error(prepared);
  }
  impl->run();
  return std::unique_ptr<Lab>(new Lab(std::move(impl)));
}

const AddressMap& Lab::addresses() const { return impl_->addresses(); }

LabStatus Lab::status() const {
  return impl_->on_loop<LabStatus>([this] { return impl_->status_now(); });
}

Result<std::string> Lab::inject(const Injection& injection) {
  return impl_->on_loop<Result<std::string>>(
      [this, &injection] { return impl_->injector().inject(injection); });
}

void Lab::stop() { impl_->request_stop(); }

int Lab::wait(bool on_signals) { return impl_->wait(on_signals); }

std::string Lab::trouble() const { return impl_->trouble(); }

}  // namespace ichor::lab
