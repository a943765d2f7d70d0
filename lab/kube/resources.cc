#include "lab/kube/resources.h"

#include <algorithm>
#include <array>

#include "phase/kubernetes/json_view.h"

namespace ichor::lab {

using nlohmann::json;

const std::vector<KubeResource>& kube_resources() {
  static const std::vector<KubeResource> resources = {
      {"", "nodes", "node", "Node", "no", false},
      {"", "namespaces", "namespace", "Namespace", "ns", false},
      {"", "pods", "pod", "Pod", "po", true},
      {"", "services", "service", "Service", "svc", true},
      {"", "endpoints", "endpoints", "Endpoints", "ep", true},
      {"", "events", "event", "Event", "ev", true},
      {"", "configmaps", "configmap", "ConfigMap", "cm", true},
      {"", "secrets", "secret", "Secret", "", true},
      {"", "serviceaccounts", "serviceaccount", "ServiceAccount", "sa", true},
      {"", "persistentvolumes", "persistentvolume", "PersistentVolume", "pv", false},
      {"", "persistentvolumeclaims", "persistentvolumeclaim", "PersistentVolumeClaim", "pvc", true},
      {"", "replicationcontrollers", "replicationcontroller", "ReplicationController", "rc", true},
      {"policy", "poddisruptionbudgets", "poddisruptionbudget", "PodDisruptionBudget", "pdb", true},
      {"apps", "deployments", "deployment", "Deployment", "deploy", true},
      {"apps", "daemonsets", "daemonset", "DaemonSet", "ds", true},
      {"apps", "replicasets", "replicaset", "ReplicaSet", "rs", true},
      {"apps", "statefulsets", "statefulset", "StatefulSet", "sts", true},
  };
  return resources;
}

const KubeResource* find_resource(std::string_view group, std::string_view plural) {
  for (const KubeResource& resource : kube_resources()) {
    if (resource.group == group && resource.plural == plural) return &resource;
  }
  return nullptr;
}

bool has_status(const sim::ApiServer& api, const ichor::KubeResource& resource) {
  constexpr std::array<std::string_view, 5> without{"configmaps", "endpoints", "events", "secrets",
                                                    "serviceaccounts"};
  if (resource.kind.group.empty()) {
    return std::find(without.begin(), without.end(), resource.plural) == without.end();
  }
  const json* crd = api.find({{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
                              "",
                              resource.plural + "." + resource.kind.group});
  if (!crd) return true;
  const json& versions = at(*crd, {"spec", "versions"});
  return versions.is_array() &&
         std::any_of(versions.begin(), versions.end(), [&](const json& version) {
           return text_at(version, {"name"}) == resource.kind.version &&
                  at(version, {"subresources", "status"}).is_object();
         });
}

bool is_built_in(std::string_view group) {
  constexpr std::array<std::string_view, 20> own{"",
                                                 "admissionregistration.k8s.io",
                                                 "apiextensions.k8s.io",
                                                 "apiregistration.k8s.io",
                                                 "apps",
                                                 "authentication.k8s.io",
                                                 "authorization.k8s.io",
                                                 "autoscaling",
                                                 "batch",
                                                 "certificates.k8s.io",
                                                 "coordination.k8s.io",
                                                 "discovery.k8s.io",
                                                 "events.k8s.io",
                                                 "flowcontrol.apiserver.k8s.io",
                                                 "networking.k8s.io",
                                                 "node.k8s.io",
                                                 "policy",
                                                 "rbac.authorization.k8s.io",
                                                 "scheduling.k8s.io",
                                                 "storage.k8s.io"};
  return std::find(own.begin(), own.end(), group) != own.end();
}

std::string api_version(const KubeResource& resource) {
  return resource.group.empty() ? "v1" : std::string(resource.group) + "/v1";
}

}  // namespace ichor::lab
