#include "cluster.pb.h"
#include "lab/talos/methods.h"
#include "machine.pb.h"
#include "machine_system.pb.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;

/// The commit, build tag and compiler of the release that a node plays.
constexpr const char* kCommit112 = "a1b8bd61";
constexpr const char* kCommit113 = "f2c0b0f5";
constexpr const char* kCommit114 = "undefined";  // as a build out of the Go module says

const char* commit_of(sim::Personality personality) {
  switch (personality) {
    case sim::Personality::v1_12: return kCommit112;
    case sim::Personality::v1_13: return kCommit113;
    case sim::Personality::v1_14: break;
  }
  return kCommit114;
}

void version(Exchange& exchange) {
  const auto found = exchange.node().version(exchange.caller());
  if (!found) {
    exchange.refuse(found.error());
    return;
  }
  machine::VersionResponse response;
  machine::Version& item = *response.add_messages();
  item.mutable_version()->set_tag(to_text(*found));
  item.mutable_version()->set_sha(commit_of(exchange.node().spec().personality));
  item.mutable_version()->set_go_version("go1.25.8");
  item.mutable_version()->set_os("linux");
  item.mutable_version()->set_arch("amd64");
  const bool container = exchange.machine().container();
  item.mutable_platform()->set_name(container ? "container" : "metal");
  item.mutable_platform()->set_mode(container ? "container" : "metal");
  item.mutable_features()->set_rbac(true);
  exchange.reply(response);
}

void hostname(Exchange& exchange) {
  machine::HostnameResponse response;
  response.add_messages()->set_hostname(exchange.node().hostname().value());
  exchange.reply(response);
}

void memory(Exchange& exchange) {
  machine::MemoryResponse response;
  machine::MemInfo& info = *response.add_messages()->mutable_meminfo();
  const std::uint64_t total = exchange.node().spec().memory_bytes / 1024;
  info.set_memtotal(total);
  info.set_memfree(total / 2);
  info.set_memavailable(total / 2);
  exchange.reply(response);
}

void load_average(Exchange& exchange) {
  machine::LoadAvgResponse response;
  machine::LoadAvg& load = *response.add_messages();
  load.set_load1(0.1);
  load.set_load5(0.1);
  load.set_load15(0.1);
  exchange.reply(response);
}

void system_stat(Exchange& exchange) {
  machine::SystemStatResponse response;
  response.add_messages()->set_boot_time(
      static_cast<std::uint64_t>(exchange.site().wall_at(MonoTime{}).unix_ms / 1000));
  exchange.reply(response);
}

void mounts(Exchange& exchange) {
  machine::MountsResponse response;
  machine::Mounts& item = *response.add_messages();
  const sim::Node& node = exchange.node();
  const auto add = [&](const std::string& from, const char* on, std::uint64_t size) {
    machine::MountStat& mount = *item.add_stats();
    mount.set_filesystem(from);
    mount.set_mounted_on(on);
    mount.set_size(size);
    mount.set_available(size / 2);
  };
  add("rootfs", "/", node.spec().memory_bytes / 2);
  if (node.disk().installed) {
    add(node.disk().install_disk + "3", "/system/state", 100ull << 20);
    add(node.disk().install_disk + "4", "/var",
        node.spec().disks.front().size_bytes - (3ull << 30));
  }
  exchange.reply(response);
}

void processes(Exchange& exchange) {
  machine::ProcessesResponse response;
  machine::ProcessInfo& init = *response.add_messages()->add_processes();
  init.set_pid(1);
  init.set_state("S");
  init.set_threads(12);
  init.set_virtual_memory(1400ull << 20);
  init.set_resident_memory(120ull << 20);
  init.set_command("init");
  init.set_executable("/sbin/init");
  init.set_args("/sbin/init");
  exchange.reply(response);
}

}  // namespace

const std::vector<Method>& system_methods() {
  static const std::vector<Method> methods = {
      {kMachineService, "Version", kAor, Kind::reads, version},
      {kMachineService, "Hostname", kAor, Kind::reads, hostname},
      {kMachineService, "Memory", kAor, Kind::reads, memory},
      {kMachineService, "LoadAvg", kAor, Kind::reads, load_average},
      {kMachineService, "SystemStat", kAor, Kind::reads, system_stat},
      {kMachineService, "Mounts", kAor, Kind::reads, mounts},
      {kMachineService, "Processes", kAor, Kind::reads, processes},
  };
  return methods;
}

}  // namespace ichor::lab
