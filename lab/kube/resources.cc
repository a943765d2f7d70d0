#include "lab/kube/resources.h"

namespace ichor::lab {

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

std::string api_version(const KubeResource& resource) {
  return resource.group.empty() ? "v1" : std::string(resource.group) + "/v1";
}

}  // namespace ichor::lab
