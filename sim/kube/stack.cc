#include "sim/kube/stack.h"

#include <algorithm>
#include <fmt/format.h>

#include "secrets/base64.h"
#include "sim/canaries.h"
#include "sim/kube/charts.h"

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

void add_release(KubeStack& stack, const std::string& name, const std::string& name_space,
                 std::vector<std::string> needs) {
  stack.charts.push_back({name, name_space, made_up_chart(name, name_space)});
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
    add_release(stack, "cilium", "kube-system", {});
  }
  add_release(stack, "coredns", "kube-system", network);
  add_release(stack, "cert-manager", "cert-manager", network);
  add_release(stack, "flux-operator", "flux-system", {"coredns", "cert-manager"});
  add_release(stack, "flux-instance", "flux-system", {"flux-operator"});
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
  material.crds.push_back(
      made_up_crd("monitoring.coreos.com", "ServiceMonitor", "servicemonitors"));
  KubernetesPlan::Chart chart;
  chart.chart = "/repo/charts/gateway-crds";
  chart.version = kVersion;
  material.plan.crds.charts.push_back(chart);
  const KubeObject rendered = made_up_crd("gateway.networking.k8s.io", "Gateway", "gateways");
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
