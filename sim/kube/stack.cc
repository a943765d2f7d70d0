#include "sim/kube/stack.h"

#include <algorithm>
#include <fmt/format.h>

#include "pki/base64.h"
#include "sim/canaries.h"

namespace ichor::sim {

namespace {

constexpr const char* kVersion = "1.4.2";

KubeObject object(const char* version, const char* kind, const std::string& name_space,
                  const std::string& name) {
  KubeObject result{{"apiVersion", version}, {"kind", kind}};
  result["metadata"]["name"] = name;
  if (!name_space.empty()) result["metadata"]["namespace"] = name_space;
  return result;
}

KubeObject secret(const std::string& name_space, const std::string& name, const std::string& key,
                  std::string_view canary) {
  KubeObject result = object("v1", "Secret", name_space, name);
  result["type"] = "Opaque";
  result["data"][key] = pki::base64(kube_canary(canary));
  return result;
}

KubeObject crd(const std::string& group, const std::string& kind, const std::string& plural) {
  KubeObject result = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "",
                             fmt::format("{}.{}", plural, group));
  result["spec"] = {{"group", group},
                    {"scope", "Namespaced"},
                    {"names", {{"kind", kind}, {"plural", plural}}},
                    {"versions", {{{"name", "v1"}, {"served", true}, {"storage", true}}}}};
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

/// As helm marks what it installs.
void mark(KubeStack::Chart& chart) {
  for (KubeObject& one : chart.objects) {
    KubeObject& metadata = one["metadata"];
    metadata["labels"]["app.kubernetes.io/managed-by"] = "Helm";
    metadata["annotations"] = {{"meta.helm.sh/release-name", chart.release},
                               {"meta.helm.sh/release-namespace", chart.name_space}};
  }
}

void add_release(KubeStack& stack, const std::string& name, const std::string& name_space,
                 std::vector<std::string> needs, std::vector<KubeObject> objects) {
  KubeStack::Chart chart{name, name_space, std::move(objects)};
  mark(chart);
  stack.charts.push_back(std::move(chart));
  WantedRelease release;
  release.name = name;
  release.name_space = name_space;
  release.chart = "/repo/charts/" + name;
  release.version = kVersion;
  release.values = {{"replicas", 1}};
  release.needs = std::move(needs);
  stack.wanted.push_back(std::move(release));
}

void add_releases(KubeStack& stack) {
  std::vector<std::string> network;
  if (stack.plan.cilium) {
    network.emplace_back("cilium");
    add_release(stack, "cilium", "kube-system", {},
                {workload("DaemonSet", "kube-system", "cilium", 0),
                 workload("Deployment", "kube-system", "cilium-operator", 1)});
  }
  add_release(stack, "coredns", "kube-system", network,
              {workload("Deployment", "kube-system", "coredns", 2)});
  add_release(stack, "cert-manager", "cert-manager", network,
              {workload("Deployment", "cert-manager", "cert-manager", 1)});
  add_release(stack, "flux-operator", "flux-system", {"coredns", "cert-manager"},
              {crd("fluxcd.controlplane.io", "FluxInstance", "fluxinstances"),
               workload("Deployment", "flux-system", "flux-operator", 1)});
  KubeObject instance = object("fluxcd.controlplane.io/v1", "FluxInstance", "flux-system", "flux");
  instance["spec"]["distribution"]["version"] = "2.x";
  add_release(stack, "flux-instance", "flux-system", {"flux-operator"}, {std::move(instance)});
}

/// The rest of the releases after these two are the helmfile's.
bool by_helmfile(const KubeStack& stack, const WantedRelease& release) {
  return stack.plan.helmfile && release.name != "cilium" && release.name != "coredns";
}

void plan_releases(KubeStack& stack) {
  KubernetesMaterial& material = stack.material;
  constexpr const char* kFile = "/repo/bootstrap/helmfile.yaml";
  if (stack.plan.helmfile) {
    material.plan.core.helmfile = kFile;
    stack.helmfile_text = "releases:\n";
  }
  for (WantedRelease& release : stack.wanted) {
    if (!by_helmfile(stack, release)) {
      material.releases.push_back(release);
      KubernetesPlan::Release planned;
      planned.name = release.name;
      planned.needs_given = true;
      material.plan.core.releases.push_back(std::move(planned));
      continue;
    }
    release.helmfile = kFile;
    stack.helmfile_text += fmt::format(
        "- name: {}\n  namespace: {}\n  chart: {}\n  version: {}\n  values:\n  - replicas: 1\n"
        "  needs:\n",
        release.name, release.name_space, release.chart, release.version);
    for (const std::string& need : release.needs) {
      stack.helmfile_text += fmt::format("  - any/{}\n", need);
    }
  }
}

void add_secrets(KubeStack& stack) {
  KubernetesMaterial& material = stack.material;
  for (const char* name : {"flux-system", "cert-manager", "external-secrets"}) {
    material.namespaces.push_back(object("v1", "Namespace", "", name));
  }
  material.secrets.push_back(secret("flux-system", "sops-age", "age.agekey", "age key"));
  material.secrets.push_back(secret("flux-system", "deploy-key", "identity", "deploy key"));
  KubernetesPlan::SecretItem age;
  age.name = "sops-age";
  age.name_space = "flux-system";
  age.age_key = "age.agekey";
  KubernetesPlan::SecretItem vault;
  vault.name = "onepassword-secret";
  vault.name_space = "external-secrets";
  vault.onepassword["token"] = "op://kubernetes/connect/token";
  material.plan.secrets = {age, vault};
  stack.onepassword_value = kube_canary("1Password item");
  if (!stack.plan.connect) return;
  material.plan.onepassword.way = KubernetesPlan::OnePasswordWay::connect;
  material.plan.onepassword.connect_host = "http://127.0.0.1:8080";
  material.connect_token = SecretString(kube_canary("Connect token"));
}

void add_crds(KubeStack& stack) {
  KubernetesMaterial& material = stack.material;
  material.crds.push_back(crd("monitoring.coreos.com", "ServiceMonitor", "servicemonitors"));
  KubernetesPlan::Chart chart;
  chart.chart = "/repo/charts/gateway-crds";
  chart.version = kVersion;
  material.plan.crds.charts.push_back(chart);
  const KubeObject rendered = crd("gateway.networking.k8s.io", "Gateway", "gateways");
  stack.crds_text = rendered.dump() + "\n";
  stack.crds = {material.crds.front()["metadata"]["name"], rendered["metadata"]["name"]};
}

}  // namespace

const KubeStack::Chart* KubeStack::find(std::string_view release) const {
  const auto found = std::find_if(charts.begin(), charts.end(),
                                  [&](const Chart& chart) { return chart.release == release; });
  return found == charts.end() ? nullptr : &*found;
}

const WantedRelease* KubeStack::wants(std::string_view release) const {
  const auto found = std::find_if(wanted.begin(), wanted.end(),
                                  [&](const WantedRelease& one) { return one.name == release; });
  return found == wanted.end() ? nullptr : &*found;
}

KubeStack make_stack(const StackPlan& plan) {
  KubeStack stack;
  stack.plan = plan;
  KubernetesPlan& phases = stack.material.plan;
  phases.phases = true;
  phases.root = "/repo";
  phases.flux.kustomize_root = "/repo/kubernetes";
  phases.flux.kubeconform_schemas = {"default"};
  add_secrets(stack);
  add_crds(stack);
  add_releases(stack);
  plan_releases(stack);
  return stack;
}

KubeObject sealed_key(int number) {
  KubeObject key = secret("kube-system", "sealed-secrets-key", "tls.key", "sealed-secrets key");
  key["type"] = "kubernetes.io/tls";
  key["data"]["tls.crt"] = pki::base64(fmt::format("certificate of run {}", number));
  return key;
}

}  // namespace ichor::sim
