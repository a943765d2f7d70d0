#include "sim/node/machine_view.h"

#include <array>

namespace ichor::sim {

namespace {

void add_problem(std::string& problems, std::string_view who, std::string_view what) {
  if (!problems.empty()) problems += ", ";
  problems += who;
  problems += what;
}

/// Services that are there but unhealthy come first, in the order of their ids; then the required
/// ones that do not run, in the order in which Talos requires them.
std::string service_problems(const StatusBrief& brief) {
  static constexpr std::array required = {Service::apid, Service::machined, Service::kubelet,
                                          Service::etcd, Service::trustd};
  std::string problems;
  for (int i = 0; i < kServiceCount; ++i) {
    const auto service = static_cast<Service>(i);
    if (brief.not_healthy & bit(service)) add_problem(problems, name_of(service), " not healthy");
  }
  for (const Service service : required) {
    if (brief.not_running & bit(service)) add_problem(problems, name_of(service), " not running");
  }
  return problems;
}

std::string waiting_for(Service service) {
  switch (service) {
    case Service::apid: return R"(service "containerd" to be "up", api certificates)";
    case Service::kubelet:
      return "volumes /var/lib, /var/lib/kubelet, /var/log, /var/log/audit, /var/log/containers, "
             "/var/log/pods, /var/lib/kubelet/seccomp, /var/lib/kubelet/seccomp/profiles, "
             R"(/var/log/audit/kube, /var/mnt to be mounted, service "cri" to be "up", time sync, )"
             "network";
    case Service::etcd:
      return R"(volumes /var/lib, ETCD to be mounted, service "cri" to be "up", time sync, )"
             "network, etcd spec";
    case Service::trustd: return R"(service "containerd" to be "up", time sync, network)";
    default:
      return "volumes /var/lib, /var/lib/cni, /var/lib/containerd, /var/run, /var/run/lock to be "
             "mounted, network";
  }
}

std::string started(Service service) {
  switch (service) {
    case Service::machined:
    case Service::auditd:
    case Service::syslogd: return "Service started as goroutine";
    case Service::containerd:
      return R"x(Process Process(["/bin/containerd" "--address" )x"
             R"x("/system/run/containerd/containerd.sock" "--state" "/system/run/containerd" )x"
             R"x("--root" "/system/var/lib/containerd"]) started with PID 1800)x";
    case Service::cri:
      return R"x(Process Process(["/bin/containerd" "--address" )x"
             R"x("/run/containerd/containerd.sock" "--config" "/etc/cri/containerd.toml"]) )x"
             R"x(started with PID 2100)x";
    case Service::udevd:
      return R"x(Process Process(["/sbin/systemd-udevd" "--resolve-names=never"]) )x"
             R"x(started with PID 1700)x";
    case Service::dashboard: return R"(Process Process(["/sbin/dashboard"]) started with PID 1900)";
    default: break;
  }
  const std::string id(name_of(service));
  const int pid = 2300 + static_cast<int>(service);
  return "Started task " + id + " (PID " + std::to_string(pid) + ") for container " + id;
}

}  // namespace

std::string_view name_of(Service service) {
  switch (service) {
    case Service::apid: return "apid";
    case Service::auditd: return "auditd";
    case Service::containerd: return "containerd";
    case Service::cri: return "cri";
    case Service::dashboard: return "dashboard";
    case Service::etcd: return "etcd";
    case Service::kubelet: return "kubelet";
    case Service::machined: return "machined";
    case Service::syslogd: return "syslogd";
    case Service::trustd: return "trustd";
    case Service::udevd: return "udevd";
  }
  return "";
}

std::string_view name_of(ServiceState state) {
  switch (state) {
    case ServiceState::initialized: return "Initialized";
    case ServiceState::preparing: return "Preparing";
    case ServiceState::waiting: return "Waiting";
    case ServiceState::running: return "Running";
    case ServiceState::stopping: return "Stopping";
    case ServiceState::finished: return "Finished";
    case ServiceState::failed: return "Failed";
    case ServiceState::skipped: return "Skipped";
    case ServiceState::starting: return "Starting";
  }
  return "";
}

std::string text_of(Service service, Remark remark) {
  switch (remark) {
    case Remark::none: return "";
    case Remark::starting: return "Starting service";
    case Remark::waiting: return "Waiting for " + waiting_for(service);
    case Remark::pre_state: return "Running pre state";
    case Remark::creating_runner: return "Creating service runner";
    case Remark::started: return started(service);
    case Remark::healthy: return "Health check successful";
    case Remark::unhealthy: return "Health check failed: context deadline exceeded";
    case Remark::learning: return "Health check failed: etcdserver: rpc not supported for learner";
    case Remark::bootstrap_requested: return "Bootstrap requested";
    case Remark::restarting:
      return "Error running Containerd(etcd), going to restart forever: task \"etcd\" failed: exit "
             "code 1";
    case Remark::join_failed:
      return "Failed to run pre stage: failed to build initial etcd cluster: failed to build "
             "cluster "
             "arguments: timeout";
    case Remark::recovery_failed: return "Failed to run pre stage: error verifying snapshot";
    case Remark::join_called_off:
      return "Failed to run pre stage: failed to build initial etcd cluster: failed to build "
             "cluster arguments: 1 error(s) occurred:\n\terror getting etcd member list: context "
             "canceled";
    case Remark::stopped: return "Service finished successfully";
  }
  return "";
}

MachineStatus render(const StatusBrief& brief, const NodeName& hostname) {
  MachineStatus status;
  status.stage = brief.stage;
  status.ready = true;
  if (brief.stage != Stage::booting && brief.stage != Stage::running) return status;
  if (brief.time_unsynced) status.unmet.push_back({"time", "time is not synced"});
  if (brief.network_down) {
    status.unmet.push_back({"network", "waiting on: address, connectivity, etc-files, hostname"});
  }
  if (std::string problems = service_problems(brief); !problems.empty()) {
    status.unmet.push_back({"services", std::move(problems)});
  }
  if (brief.static_pods) {
    const std::string& name = hostname.value();
    status.unmet.push_back({"staticPods", "kube-system/kube-controller-manager-" + name +
                                              " not ready, kube-system/kube-scheduler-" + name +
                                              " not ready"});
  }
  const std::string node = "node \"" + hostname.value() + "\" ";
  if (brief.node == StatusBrief::NodeObject::unavailable) {
    status.unmet.push_back({"nodeReady", node + "status is not available yet"});
  } else if (brief.node == StatusBrief::NodeObject::not_ready) {
    status.unmet.push_back({"nodeReady", node + "is not ready"});
  }
  status.ready = status.unmet.empty();
  return status;
}

}  // namespace ichor::sim
