
#include "cluster.pb.h"
#include "lab/cosi/sight.h"
#include "lab/talos/health_checks.h"
#include "lab/talos/methods.h"
#include "lab/talos/timestamp.h"
#include "lifecycle.pb.h"
#include "storage.pb.h"
#include "talos_time.pb.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;

constexpr std::string_view kStorage = "storage.StorageService";
constexpr std::string_view kTime = "time.TimeService";
constexpr std::string_view kCluster = "cluster.ClusterService";
constexpr std::string_view kLifecycle = "machine.LifecycleService";
constexpr std::string_view kImage = "machine.ImageService";

void disks(Exchange& exchange) {
  const auto found = exchange.node().disks(exchange.caller());
  if (!found) {
    exchange.refuse(found.error());
    return;
  }
  storage::DisksResponse response;
  storage::Disks& list = *response.add_messages();
  for (const Disk& disk : *found) {
    storage::Disk& out = *list.add_disks();
    out.set_size(disk.size_bytes);
    out.set_model(disk.model);
    out.set_device_name(disk.dev_path);
    out.set_serial(disk.serial);
    out.set_modalias(disk.modalias);
    out.set_uuid(disk.uuid);
    out.set_wwid(disk.wwid);
    out.set_type(disk.cdrom                 ? storage::Disk::CD
                 : disk.transport == "nvme" ? storage::Disk::NVME
                 : disk.transport == "mmc"  ? storage::Disk::SD
                 : disk.rotational          ? storage::Disk::HDD
                                            : storage::Disk::SSD);
    out.set_bus_path(disk.bus_path);
    out.set_system_disk(disk.system_disk);
    out.set_subsystem("/sys/class/block");
    out.set_readonly(disk.read_only);
  }
  exchange.reply(response);
}

void not_in_the_lab(Exchange& exchange) {
  exchange.end(Code::unimplemented, "this call is not part of the lab");
}

void time(Exchange& exchange) {
  talos_time::TimeResponse response;
  talos_time::Time& item = *response.add_messages();
  const auto config = exchange.machine().config();
  const bool own = config && !config->time_servers.empty();
  item.set_server(own ? config->time_servers.front() : "time.cloudflare.com");
  const auto now = timestamp_of(exchange.site().clock().wall());
  *item.mutable_localtime() = now;
  *item.mutable_remotetime() = now;
  exchange.reply(response);
}

/// Waits for one condition after the other and says how it goes. Time is the node's own.
class HealthRun final : public Stream {
 public:
  HealthRun(Exchange& exchange, HealthScope scope, Duration limit)
      : exchange_(exchange),
        scope_(std::move(scope)),
        deadline_(later(exchange.site().clock().now(), limit)) {}
  ~HealthRun() override { exchange_.site().clock().cancel(call_); }

  void begin() {
    say("discovered nodes: " + quoted_list(scope_.nodes()));
    enter(0);
  }

 private:
  void enter(std::size_t index) {
    if (index == health_checks().size()) {
      exchange_.done();
      return;
    }
    index_ = index;
    check_deadline_ = later(exchange_.site().clock().now(), check().limit);
    report("...");
    look();
  }

  void look() {
    const std::string why = check().judge(scope_);
    report(why.empty() ? "OK" : why);
    const MonoTime now = exchange_.site().clock().now();
    if (why.empty() || why == kSkipped) {
      // Not from within: a healthy cluster would make a tower of calls.
      call_ = exchange_.site().clock().call_at(now, [this] { enter(index_ + 1); });
    } else if (now >= deadline_ || now >= check_deadline_) {
      exchange_.end(Code::deadline_exceeded, "context deadline exceeded");
    } else {
      const MonoTime next = std::min({later(now, check().every), deadline_, check_deadline_});
      call_ = exchange_.site().clock().call_at(next, [this] { look(); });
    }
  }

  const HealthCheck& check() const { return health_checks()[index_]; }

  void report(const std::string& state) {
    std::string line = std::string("waiting for ") + check().name + ": " + state;
    if (line == last_) return;
    last_ = line;
    while (line.ends_with('\n') || line.ends_with(' ')) line.pop_back();
    say(line);
  }

  void say(const std::string& text) {
    cluster::HealthCheckProgress progress;
    progress.set_message(text);
    exchange_.send(progress);
  }

  Exchange& exchange_;
  HealthScope scope_;
  MonoTime deadline_;
  MonoTime check_deadline_{};
  std::size_t index_{0};
  std::string last_;
  Clock::CallId call_{0};
};

void health_check(Exchange& exchange, const cluster::HealthCheckRequest& request) {
  const auto config = exchange.machine().config();
  if (!config || !config->control_plane()) {
    exchange.end(Code::unimplemented, "health check is only available on control plane nodes");
    return;
  }
  HealthScope scope{exchange.site(), exchange.machine(), {}, {}};
  const cluster::ClusterInfo& told = request.cluster_info();
  scope.control_planes.assign(told.control_plane_nodes().begin(), told.control_plane_nodes().end());
  scope.workers.assign(told.worker_nodes().begin(), told.worker_nodes().end());
  if (scope.nodes().empty()) {
    for (Machine* peer : Sight(exchange.site(), exchange.machine()).peers()) {
      const bool control_plane = peer->last_config()->control_plane();
      (control_plane ? scope.control_planes : scope.workers).push_back(peer->home());
    }
  }
  const Duration limit = std::chrono::seconds(request.wait_timeout().seconds()) +
                         std::chrono::nanoseconds(request.wait_timeout().nanos());
  auto run = std::make_unique<HealthRun>(exchange, std::move(scope), limit);
  HealthRun& started = *run;
  exchange.keep(std::move(run));
  started.begin();
}

void lifecycle_install(Exchange& exchange) {
  if (exchange.node().disk().installed) {
    exchange.end(Code::already_exists, "machine is already installed");
  } else {
    not_in_the_lab(exchange);
  }
}

/// Tells how an installer ends. It goes on without a listener.
class InstallerFollower final : public Stream {
 public:
  InstallerFollower(Exchange& exchange, std::uint64_t number)
      : exchange_(exchange), number_(number) {
    subscription_ = exchange_.node().subscribe([this] { look(); });
  }
  ~InstallerFollower() override { exchange_.node().unsubscribe(subscription_); }

 private:
  void look() {
    const std::optional<int> exit = exchange_.node().installer_exit(number_);
    if (!exit || told_) return;
    told_ = true;
    machine::LifecycleServiceUpgradeResponse response;
    if (*exit != 0) {
      response.mutable_progress()->set_message("error: no space left on device");
      exchange_.send(response);
    }
    response.mutable_progress()->set_exit_code(*exit);
    exchange_.reply(response);
  }

  Exchange& exchange_;
  std::uint64_t number_;
  sim::Node::Subscription subscription_;
  bool told_{false};
};

void lifecycle_upgrade(Exchange& exchange, const machine::LifecycleServiceUpgradeRequest& request) {
  const std::string& image = request.source().image_name();
  const auto number = exchange.node().start_installer(exchange.caller(), image);
  if (!number) {
    exchange.refuse(number.error());
    return;
  }
  machine::LifecycleServiceUpgradeResponse response;
  response.mutable_progress()->set_message("installing " + image);
  exchange.send(response);
  exchange.keep(std::make_unique<InstallerFollower>(exchange, *number));
}

void image_pull(Exchange& exchange, const machine::ImageServicePullRequest& request) {
  const auto pulled = exchange.node().pull_image(exchange.caller(), request.image_ref());
  if (!pulled) {
    exchange.refuse(pulled.error());
    return;
  }
  machine::ImageServicePullResponse response;
  response.set_name(request.image_ref() + "@sha256:" + std::string(64, '0'));
  exchange.reply(response);
}

void image_list(Exchange& exchange) { exchange.done(); }

}  // namespace

const std::vector<Method>& other_methods() {
  static const std::vector<Method> methods = {
      {kStorage, "Disks", kAor, Kind::reads, disks},
      {kStorage, "BlockDeviceWipe", kAdmin, Kind::mutates, not_in_the_lab},
      {kTime, "Time", kAor, Kind::reads, time},
      {kTime, "TimeCheck", kAor, Kind::reads, time},
      {kCluster, "HealthCheck", kAor, Kind::streams, with<health_check>},
      {kLifecycle, "Install", kAdmin, Kind::streams, lifecycle_install},
      {kLifecycle, "Upgrade", kAdmin, Kind::streams, with<lifecycle_upgrade>},
      {kImage, "Pull", kAdmin | kOperator, Kind::streams, with<image_pull>},
      {kImage, "List", kAor, Kind::streams, image_list},
  };
  return methods;
}

}  // namespace ichor::lab
