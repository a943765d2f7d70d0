#include "lab/talos/health_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "lab/cosi/sight.h"
#include "lab/kube/model.h"
#include "lab/talos/routing.h"

namespace ichor::lab {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Texts = std::vector<std::string>;

constexpr std::uint64_t kMiB = 1ull << 20;
constexpr std::uint64_t kControlPlaneMemory = 1698 * kMiB;
constexpr std::uint64_t kWorkerMemory = 874 * kMiB;
constexpr std::uint64_t kSystemDiskMin = 6ull << 30;

std::string in_error(const Texts& errors) {
  if (errors.empty()) return "";
  std::string text =
      errors.size() == 1 ? "1 error occurred:" : fmt::format("{} errors occurred:", errors.size());
  for (const std::string& error : errors) text += "\n\t* " + error;
  return text + "\n\n";
}

/// `[a b]`: as Go prints a list.
std::string plain_list(const Texts& texts) { return fmt::format("[{}]", fmt::join(texts, " ")); }

/// The machine at an address as the checking node reaches it, or the error of the call.
Machine* reached(const HealthScope& scope, const std::string& address, Texts& errors) {
  const auto found = reach(scope.site, scope.machine, address);
  if (found) return *found;
  errors.push_back(fmt::format("{}: rpc error: code = {} desc = {}", address,
                               name_of(found.error().code), found.error().text));
  return nullptr;
}

std::string service_healthy(const HealthScope& scope, const char* id) {
  Texts unreachable;
  Texts errors;
  Texts sorted = scope.control_planes;
  std::sort(sorted.begin(), sorted.end());
  std::size_t answers = 0;
  for (const std::string& address : sorted) {
    Machine* machine = reached(scope, address, unreachable);
    if (machine == nullptr) continue;
    const auto services = machine->node().services(kInsider);
    for (const ServiceStatus& service : services ? *services : std::vector<ServiceStatus>()) {
      if (service.id != id) continue;
      ++answers;
      if (service.state != "Running") {
        errors.push_back(fmt::format(
            "{}: service \"{}\" not in expected state \"Running\": current state [{}] {}", address,
            id, service.state, service.last_message));
      } else if (!service.healthy) {
        errors.push_back(fmt::format("{}: service is not healthy: {}", address, id));
      }
    }
  }
  if (!unreachable.empty()) return in_error(unreachable);
  if (answers != sorted.size()) {
    return fmt::format("expected a response with {} node(s), got {}", sorted.size(), answers);
  }
  return in_error(errors);
}

std::string etcd_healthy(const HealthScope& scope) { return service_healthy(scope, "etcd"); }
std::string kubelet_healthy(const HealthScope& scope) { return service_healthy(scope, "kubelet"); }

std::string etcd_consistent(const HealthScope& scope) {
  Texts errors;
  Texts sorted = scope.control_planes;
  std::sort(sorted.begin(), sorted.end());
  std::optional<std::vector<EtcdMember>> first;
  for (const std::string& address : sorted) {
    Machine* machine = reached(scope, address, errors);
    if (machine == nullptr) continue;
    const auto members = machine->node().etcd_members(kInsider);
    if (!members) {
      errors.push_back(fmt::format("{}: rpc error: code = {} desc = {}", address,
                                   name_of(members.error().code), members.error().text));
      continue;
    }
    if (!first) {
      first = *members;
      continue;
    }
    if (members->size() != first->size()) {
      Texts expected;
      Texts actual;
      for (const EtcdMember& member : *first) expected.push_back(member.hostname);
      for (const EtcdMember& member : *members) actual.push_back(member.hostname);
      return fmt::format("{}: expected to have {} members, got {}", address, plain_list(expected),
                         plain_list(actual));
    }
    for (const EtcdMember& member : *members) {
      if (std::find(first->begin(), first->end(), member) == first->end()) {
        return fmt::format("{}: found unexpected etcd member {}", address, member.hostname);
      }
    }
  }
  return in_error(errors);
}

std::string etcd_on_control_planes(const HealthScope& scope) {
  const auto members = scope.machine.node().etcd_members(kInsider);
  if (!members) {
    return fmt::format("rpc error: code = {} desc = {}", name_of(members.error().code),
                       members.error().text);
  }
  Texts homes;
  for (const EtcdMember& member : *members) {
    for (const auto& machine : scope.site.machines()) {
      const auto config = machine->last_config();
      const std::string name = config && !config->hostname.empty()
                                   ? config->hostname
                                   : machine->node().hostname().value();
      if (name == member.hostname) homes.push_back(machine->home());
    }
  }
  for (const std::string& home : homes) {
    const auto& expected = scope.control_planes;
    if (std::find(expected.begin(), expected.end(), home) == expected.end()) {
      return "etcd member ips " + quoted_list(homes) +
             " are not subset of control plane node ips " + quoted_list(expected);
    }
  }
  return "";
}

std::string apid_ready(const HealthScope& scope) {
  Texts errors;
  for (const std::string& address : scope.nodes()) (void)reached(scope, address, errors);
  return in_error(errors);
}

std::string memory_sizes(const HealthScope& scope) {
  Texts errors;
  for (const std::string& address : scope.nodes()) {
    Texts unreachable;
    Machine* machine = reached(scope, address, unreachable);
    if (machine == nullptr) return "error getting version: " + in_error(unreachable);
    if (machine->container()) continue;
    const auto config = machine->config();
    const std::uint64_t least =
        config && config->control_plane() ? kControlPlaneMemory : kWorkerMemory;
    const std::uint64_t actual = machine->node().spec().memory_bytes;
    if (actual < least) {
      errors.push_back(fmt::format(
          "node \"{}\" does not meet memory requirements: expected at least {} MiB, actual {} MiB",
          address, least / kMiB, actual / kMiB));
    }
  }
  return in_error(errors);
}

std::string disk_sizes(const HealthScope& scope) {
  Texts errors;
  for (const std::string& address : scope.nodes()) {
    Texts unreachable;
    Machine* machine = reached(scope, address, unreachable);
    if (machine == nullptr) return "error getting version: " + in_error(unreachable);
    const auto disks = machine->node().disks(kInsider);
    for (const Disk& disk : disks ? *disks : std::vector<Disk>()) {
      if (!disk.system_disk || disk.size_bytes >= kSystemDiskMin) continue;
      errors.push_back(fmt::format("ephemeral partition of node \"{}\" is too small", address));
    }
  }
  return in_error(errors);
}

std::string no_diagnostics(const HealthScope& scope) {
  Texts errors;
  for (const std::string& address : scope.nodes()) {
    if (reached(scope, address, errors) == nullptr) return errors.front();
  }
  return "";
}

std::string boot_finished(const HealthScope& scope) {
  std::map<Stage, Texts> late;
  for (const std::string& address : scope.nodes()) {
    Texts errors;
    Machine* machine = reached(scope, address, errors);
    if (machine == nullptr) return errors.front();
    const Stage stage = machine->node().stage();
    if (stage != Stage::running) late[stage].push_back(address);
  }
  if (late.empty()) return "";
  Texts parts;
  for (const auto& [stage, nodes] : late) {
    parts.push_back(fmt::format("{}: {}", name_of(stage), plain_list(nodes)));
  }
  return fmt::format("nodes are not running: {}", fmt::join(parts, ", "));
}

/// Without an API server nothing about Kubernetes is known.
std::string no_api(const HealthScope& scope) {
  const sim::ConfigFacts* facts = scope.machine.node().facts();
  if (facts != nullptr && scope.site.fabric().api_server_reachable(facts->secrets)) return "";
  const auto config = scope.machine.config();
  const std::string endpoint = config ? config->endpoint : "";
  return fmt::format(
      "Get \"{}/api/v1/nodes\": dial tcp {}: connect: connection refused", endpoint,
      endpoint.substr(endpoint.find("//") == std::string::npos ? 0 : endpoint.find("//") + 2));
}

std::string match_nodes(const Texts& expected, const Texts& actual) {
  for (const std::string& address : expected) {
    if (std::find(actual.begin(), actual.end(), address) == actual.end()) {
      return "can't find expected node with IPs " + quoted_list({address});
    }
  }
  Texts unexpected;
  for (const std::string& address : actual) {
    if (std::find(expected.begin(), expected.end(), address) == expected.end()) {
      unexpected.push_back(address);
    }
  }
  return unexpected.empty() ? "" : "unexpected nodes with IPs " + quoted_list(unexpected);
}

std::string nodes_reported(const HealthScope& scope) {
  if (std::string why = no_api(scope); !why.empty()) return why;
  Texts actual;
  for (const KubeNode& node : view_cluster(scope.site, scope.machine).nodes) {
    actual.push_back(node.address);
  }
  return match_nodes(scope.nodes(), actual);
}

std::string static_pods_running(const HealthScope& scope) {
  for (const std::string& address : scope.control_planes) {
    Texts errors;
    Machine* machine = reached(scope, address, errors);
    if (machine == nullptr) {
      return fmt::format("error listing static pods on node {}: {}", address, errors.front());
    }
    if (machine->node().kubelet_running() && machine->node().api_server_ready()) continue;
    return fmt::format(
        "missing static pods on node {}: [kube-system/kube-apiserver "
        "kube-system/kube-controller-manager kube-system/kube-scheduler]",
        address);
  }
  return "";
}

std::string components_ready(const HealthScope& scope) {
  if (std::string why = no_api(scope); !why.empty()) return why;
  const KubeView view = view_cluster(scope.site, scope.machine);
  Texts actual;
  for (const KubeNode& node : view.nodes) {
    if (node.control_plane) actual.push_back(node.address);
  }
  if (std::string why = match_nodes(scope.control_planes, actual); !why.empty()) return why;
  for (const char* app : {"kube-apiserver", "kube-scheduler", "kube-controller-manager"}) {
    std::size_t count = 0;
    Texts late;
    for (const KubePod& pod : view.pods) {
      if (pod.app != app) continue;
      ++count;
      if (!pod.ready) late.push_back(pod.name);
    }
    if (count != actual.size()) {
      return fmt::format("expected number of pods for {} to be {}, got {}", app, actual.size(),
                         count);
    }
    if (!late.empty()) {
      return fmt::format("some pods are not ready for {}: {}", app, plain_list(late));
    }
  }
  return "";
}

std::string nodes_ready(const HealthScope& scope) {
  if (std::string why = no_api(scope); !why.empty()) return why;
  Texts late;
  for (const KubeNode& node : view_cluster(scope.site, scope.machine).nodes) {
    if (!node.ready) late.push_back(node.name);
  }
  return late.empty() ? "" : "some nodes are not ready: " + plain_list(late);
}

std::string workload_ready(const HealthScope& scope, const char* app) {
  if (std::string why = no_api(scope); !why.empty()) return why;
  const KubeView view = view_cluster(scope.site, scope.machine);
  for (const KubeWorkload& workload : view.workloads) {
    if (workload.app != app) continue;
    if (workload.ready == workload.desired) return "";
    if (workload.ready == 0) {
      return fmt::format(
          "no ready pods found for namespace \"kube-system\" and label selector "
          "\"k8s-app={}\"",
          app);
    }
    Texts late;
    for (const KubePod& pod : view.pods) {
      if (pod.app == app && !pod.ready) late.push_back(pod.name);
    }
    return "some pods are not ready: " + plain_list(late);
  }
  return kSkipped;
}

std::string proxy_ready(const HealthScope& scope) { return workload_ready(scope, "kube-proxy"); }
std::string coredns_ready(const HealthScope& scope) { return workload_ready(scope, "kube-dns"); }
std::string nodes_schedulable(const HealthScope& scope) { return no_api(scope); }

}  // namespace

std::vector<std::string> HealthScope::nodes() const {
  std::vector<std::string> all = control_planes;
  all.insert(all.end(), workers.begin(), workers.end());
  return all;
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string text = "[";
  for (const std::string& item : texts) {
    if (text.size() > 1) text += ' ';
    text += "\"" + item + "\"";
  }
  return text + "]";
}

const std::vector<HealthCheck>& health_checks() {
  static const std::vector<HealthCheck> checks = {
      {"etcd to be healthy", seconds(5), minutes(5), etcd_healthy},
      {"etcd members to be consistent across nodes", seconds(5), minutes(5), etcd_consistent},
      {"etcd members to be control plane nodes", seconds(5), minutes(5), etcd_on_control_planes},
      {"apid to be ready", seconds(5), minutes(5), apid_ready},
      {"all nodes memory sizes", seconds(5), minutes(5), memory_sizes},
      {"all nodes disk sizes", seconds(5), minutes(5), disk_sizes},
      {"no diagnostics", seconds(5), minutes(1), no_diagnostics},
      {"kubelet to be healthy", seconds(5), minutes(5), kubelet_healthy},
      {"all nodes to finish boot sequence", seconds(5), minutes(5), boot_finished},
      {"all k8s nodes to report", seconds(30), minutes(5), nodes_reported},
      {"all control plane static pods to be running", seconds(5), minutes(5), static_pods_running},
      {"all control plane components to be ready", seconds(5), minutes(5), components_ready},
      {"all k8s nodes to report ready", seconds(5), minutes(10), nodes_ready},
      {"kube-proxy to report ready", seconds(5), minutes(5), proxy_ready},
      {"coredns to report ready", seconds(5), minutes(5), coredns_ready},
      {"all k8s nodes to report schedulable", seconds(5), minutes(5), nodes_schedulable},
  };
  return checks;
}

}  // namespace ichor::lab
