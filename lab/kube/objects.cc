#include "lab/kube/objects.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "lab/cosi/sight.h"
#include "lab/kube/resources.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

constexpr const char* kSystem = "kube-system";

KubeObject object(const char* group, const char* plural, const std::string& space,
                  const std::string& name) {
  const KubeResource* resource = find_resource(group, plural);
  KubeObject made{plural, space, name, json::object()};
  made.body["kind"] = resource->kind;
  made.body["apiVersion"] = api_version(*resource);
  made.body["metadata"] = {{"name", name}};
  if (!space.empty()) made.body["metadata"]["namespace"] = space;
  return made;
}

json condition(const char* type, bool holds, const char* reason, const char* message) {
  return {{"type", type},
          {"status", holds ? "True" : "False"},
          {"reason", reason},
          {"message", message}};
}

json node_conditions(const KubeNode& node) {
  if (!node.reporting) {
    return json::array({{{"type", "Ready"},
                         {"status", "Unknown"},
                         {"reason", "NodeStatusUnknown"},
                         {"message", "Kubelet stopped posting node status."}}});
  }
  return json::array(
      {condition("MemoryPressure", false, "KubeletHasSufficientMemory",
                 "kubelet has sufficient memory available"),
       condition("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
       condition("PIDPressure", false, "KubeletHasSufficientPID",
                 "kubelet has sufficient PID available"),
       node.ready ? condition("Ready", true, "KubeletReady", "kubelet is posting ready status")
                  : condition("Ready", false, "KubeletNotReady",
                              "container runtime network not ready: NetworkReady=false "
                              "reason:NetworkPluginNotReady message:Network plugin returns error: "
                              "cni plugin not initialized")});
}

KubeObject node_object(const KubeNode& node) {
  KubeObject made = object("", "nodes", "", node.name);
  made.body["metadata"]["labels"] = node.labels;
  json spec = json::object();
  json taints = json::array();
  if (!node.schedules_pods) {
    taints.push_back({{"key", "node-role.kubernetes.io/control-plane"}, {"effect", "NoSchedule"}});
  }
  if (!node.ready) {
    const char* key =
        node.reporting ? "node.kubernetes.io/not-ready" : "node.kubernetes.io/unreachable";
    taints.push_back({{"key", key}, {"effect", "NoSchedule"}});
  }
  if (!taints.empty()) spec["taints"] = std::move(taints);
  if (!spec.empty()) made.body["spec"] = std::move(spec);
  const std::string memory = fmt::format("{}Ki", node.machine->node().spec().memory_bytes / 1024);
  const json capacity = {{"cpu", "2"}, {"memory", memory}, {"pods", "110"}};
  made.body["status"] = {
      {"capacity", capacity},
      {"allocatable", capacity},
      {"conditions", node_conditions(node)},
      {"addresses", json::array({{{"type", "InternalIP"}, {"address", node.address}},
                                 {{"type", "Hostname"}, {"address", node.name}}})},
      {"daemonEndpoints", {{"kubeletEndpoint", {{"Port", 10250}}}}},
      {"nodeInfo",
       {{"machineID", node_id(*node.machine)},
        {"systemUUID", node.machine->node().spec().hardware.uuid.value()},
        {"bootID", node.machine->node().boot_id().value()},
        {"kernelVersion", "6.18.18-talos"},
        {"osImage", operating_system(*node.machine)},
        {"containerRuntimeVersion", "containerd://2.1.6"},
        {"kubeletVersion", node.version},
        {"kubeProxyVersion", ""},
        {"operatingSystem", "linux"},
        {"architecture", "amd64"}}}};
  return made;
}

KubeObject pod_object(const KubePod& pod) {
  KubeObject made = object("", "pods", kSystem, pod.name);
  json& metadata = made.body["metadata"];
  metadata["labels"] = {{pod.app_label, pod.app}};
  if (pod.is_static) {
    metadata["labels"]["tier"] = "control-plane";
    metadata["annotations"] = {{"kubernetes.io/config.source", "file"}};
    metadata["ownerReferences"] = json::array({{{"apiVersion", "v1"},
                                                {"kind", "Node"},
                                                {"name", pod.node},
                                                {"controller", true},
                                                {"uid", pod.node}}});
  } else {
    metadata["ownerReferences"] = json::array({{{"apiVersion", "apps/v1"},
                                                {"kind", pod.owner_kind},
                                                {"name", pod.owner},
                                                {"controller", true},
                                                {"uid", pod.owner}}});
  }
  made.body["spec"] = {{"containers", json::array({{{"name", pod.app}, {"image", pod.image}}})},
                       {"hostNetwork", pod.owner_kind != "ReplicaSet"}};
  if (!pod.node.empty()) made.body["spec"]["nodeName"] = pod.node;
  json status = {{"phase", pod.running ? "Running" : "Pending"}};
  status["conditions"] =
      json::array({{{"type", "PodScheduled"}, {"status", pod.node.empty() ? "False" : "True"}},
                   {{"type", "ContainersReady"}, {"status", pod.ready ? "True" : "False"}},
                   {{"type", "Ready"}, {"status", pod.ready ? "True" : "False"}}});
  if (pod.running) {
    status["podIP"] = pod.address;
    status["hostIP"] = pod.address;
    status["containerStatuses"] = json::array({{{"name", pod.app},
                                                {"image", pod.image},
                                                {"imageID", pod.image},
                                                {"ready", pod.ready},
                                                {"started", true},
                                                {"restartCount", 0},
                                                {"state", {{"running", json::object()}}}}});
  }
  made.body["status"] = std::move(status);
  return made;
}

KubeObject workload_object(const KubeWorkload& workload) {
  const bool daemons = workload.kind == "DaemonSet";
  KubeObject made = object("apps", daemons ? "daemonsets" : "deployments", kSystem, workload.name);
  made.body["metadata"]["generation"] = 1;
  made.body["metadata"]["labels"] = {{workload.app_label, workload.app}};
  const json labels = {{workload.app_label, workload.app}};
  const json container = {{"name", workload.name}, {"image", workload.image}};
  made.body["spec"] = {
      {"selector", {{"matchLabels", labels}}},
      {"template",
       {{"metadata", {{"labels", labels}}}, {"spec", {{"containers", json::array({container})}}}}}};
  if (daemons) {
    made.body["status"] = {{"currentNumberScheduled", workload.desired},
                           {"desiredNumberScheduled", workload.desired},
                           {"numberMisscheduled", 0},
                           {"numberReady", workload.ready},
                           {"numberAvailable", workload.ready},
                           {"updatedNumberScheduled", workload.desired},
                           {"observedGeneration", 1}};
  } else {
    made.body["spec"]["replicas"] = workload.desired;
    made.body["status"] = {
        {"replicas", workload.desired},
        {"updatedReplicas", workload.desired},
        {"readyReplicas", workload.ready},
        {"availableReplicas", workload.ready},
        {"observedGeneration", 1},
        {"conditions", json::array({{{"type", "Available"},
                                     {"status", workload.ready > 0 ? "True" : "False"}}})}};
  }
  return made;
}

KubeObject namespace_object(const char* name) {
  KubeObject made = object("", "namespaces", "", name);
  made.body["metadata"]["labels"] = {{"kubernetes.io/metadata.name", name}};
  made.body["spec"] = {{"finalizers", {"kubernetes"}}};
  made.body["status"] = {{"phase", "Active"}};
  return made;
}

KubeObject service_object(const std::string& space, const std::string& name,
                          const std::string& address, json ports) {
  KubeObject made = object("", "services", space, name);
  made.body["spec"] = {{"clusterIP", address}, {"type", "ClusterIP"}, {"ports", std::move(ports)}};
  made.body["status"] = {{"loadBalancer", json::object()}};
  return made;
}

/// The address with this number in the services' network.
std::string service_address(const std::string& network, int number) {
  const std::string base = network.substr(0, network.find('/'));
  return base.substr(0, base.rfind('.') + 1) + std::to_string(number);
}

}  // namespace

std::string kube_time(WallTime time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(static_cast<std::time_t>(time.unix_ms / 1000)));
}

std::vector<KubeObject> objects_of(const KubeView& view) {
  std::vector<KubeObject> objects;
  for (const char* name : {"default", "kube-node-lease", "kube-public", kSystem}) {
    objects.push_back(namespace_object(name));
  }
  const json https = json::array({{{"name", "https"}, {"port", 443}, {"protocol", "TCP"}}});
  objects.push_back(
      service_object("default", "kubernetes", service_address(view.service_network, 1), https));
  for (const KubeNode& node : view.nodes) objects.push_back(node_object(node));
  for (const KubePod& pod : view.pods) objects.push_back(pod_object(pod));
  for (const KubeWorkload& workload : view.workloads) {
    objects.push_back(workload_object(workload));
    if (workload.app != "kube-dns") continue;
    KubeObject dns =
        service_object(kSystem, "kube-dns", service_address(view.service_network, 10),
                       json::array({{{"name", "dns"}, {"port", 53}, {"protocol", "UDP"}},
                                    {{"name", "dns-tcp"}, {"port", 53}, {"protocol", "TCP"}}}));
    dns.body["metadata"]["labels"] = {{"k8s-app", "kube-dns"},
                                      {"kubernetes.io/cluster-service", "true"},
                                      {"kubernetes.io/name", "CoreDNS"}};
    objects.push_back(std::move(dns));
  }
  return objects;
}

}  // namespace ichor::lab
