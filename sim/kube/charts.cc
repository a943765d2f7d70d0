#include "sim/kube/charts.h"

#include <fmt/format.h>

namespace ichor::sim {

namespace {

KubeObject object(const char* version, const char* kind, const std::string& name_space,
                  const std::string& name) {
  KubeObject result{{"apiVersion", version}, {"kind", kind}};
  result["metadata"]["name"] = name;
  if (!name_space.empty()) result["metadata"]["namespace"] = name_space;
  return result;
}

KubeObject workload(const char* kind, const std::string& name_space, const std::string& name,
                    int replicas) {
  KubeObject result = object("apps/v1", kind, name_space, name);
  KubeObject& spec = result["spec"];
  spec["selector"]["matchLabels"]["app"] = name;
  const bool on_every_node = std::string_view(kind) == "DaemonSet";
  if (!on_every_node) spec["replicas"] = replicas;
  if (on_every_node) spec["template"]["spec"]["hostNetwork"] = true;
  spec["template"]["spec"]["tolerations"] = {{{"operator", "Exists"}}};
  return result;
}

std::vector<KubeObject> objects_of(const std::string& release, const std::string& name_space) {
  std::vector<KubeObject> objects;
  if (release == "cilium") {
    objects.push_back(workload("DaemonSet", name_space, release, 0));
    objects.push_back(workload("Deployment", name_space, "cilium-operator", 1));
  } else if (release == "flux-instance") {
    objects.push_back(object("fluxcd.controlplane.io/v1", "FluxInstance", name_space, "flux"));
    objects.back()["spec"]["distribution"]["version"] = "2.x";
  } else {
    if (release == "flux-operator") {
      objects.push_back(made_up_crd("fluxcd.controlplane.io", "FluxInstance", "fluxinstances"));
    }
    objects.push_back(workload("Deployment", name_space, release, release == "coredns" ? 2 : 1));
  }
  return objects;
}

}  // namespace

KubeObject made_up_crd(const std::string& group, const std::string& kind,
                       const std::string& plural) {
  KubeObject result = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "",
                             fmt::format("{}.{}", plural, group));
  result["spec"] = {{"group", group},
                    {"scope", "Namespaced"},
                    {"names", {{"kind", kind}, {"plural", plural}}},
                    {"versions", {{{"name", "v1"}, {"served", true}, {"storage", true}}}}};
  return result;
}

std::vector<KubeObject> made_up_chart(const std::string& release, const std::string& name_space) {
  std::vector<KubeObject> objects = objects_of(release, name_space);
  for (KubeObject& one : objects) {
    KubeObject& metadata = one["metadata"];
    metadata["labels"]["app.kubernetes.io/managed-by"] = "Helm";
    metadata["annotations"] = {{"meta.helm.sh/release-name", release},
                               {"meta.helm.sh/release-namespace", name_space}};
  }
  return objects;
}

}  // namespace ichor::sim
