#include "lab/kube/flux.h"

#include <fmt/format.h>

#include "phase/kubernetes/json_view.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

/// From an object to its condition, and from a CustomResourceDefinition to an object of its kind.
constexpr Duration kReconcile = std::chrono::seconds(2);
constexpr const char* kManager = "flux-operator";
constexpr const char* kName = "flux-system";

struct Kind {
  KubeKind kind;
  const char* plural;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {{"source.toolkit.fluxcd.io", "v1", "GitRepository"}, "gitrepositories"},
      {{"kustomize.toolkit.fluxcd.io", "v1", "Kustomization"}, "kustomizations"},
      {{"helm.toolkit.fluxcd.io", "v2", "HelmRelease"}, "helmreleases"},
  };
  return all;
}

bool is_flux(const KubeKind& kind) {
  return kind.group == "fluxcd.controlplane.io" || kind.group.ends_with(".toolkit.fluxcd.io");
}

json definition(const Kind& kind) {
  json crd{{"apiVersion", "apiextensions.k8s.io/v1"}, {"kind", "CustomResourceDefinition"}};
  crd["metadata"]["name"] = fmt::format("{}.{}", kind.plural, kind.kind.group);
  crd["spec"] = {
      {"group", kind.kind.group},
      {"scope", "Namespaced"},
      {"names", {{"kind", kind.kind.kind}, {"plural", kind.plural}}},
      {"versions", {{{"name", kind.kind.version}, {"served", true}, {"storage", true}}}}};
  return crd;
}

}  // namespace

Flux::Flux(sim::ApiServer& api, Clock& clock) : api_(api), later_(clock) {
  api_.listen([this](const KubeRef& ref, const json*, const json* now) {
    if (now && is_flux(ref.kind)) on_change(ref, *now);
  });
}

void Flux::on_change(const KubeRef& ref, const json& now) {
  const bool observed = number_at(now, {"status", "observedGeneration"}) ==
                        number_at(now, {"metadata", "generation"});
  if (observed) return;
  if (ref.kind.kind == "FluxInstance") {
    later_.after(kReconcile, [this, ref] { install(ref.name_space); });
  }
  later_.after(2 * kReconcile, [this, ref] { reconcile(ref); });
}

void Flux::install(const std::string& name_space) {
  for (const Kind& kind : kinds()) api_.put(definition(kind), kManager);
  later_.after(kReconcile, [this, name_space] {
    for (const Kind& kind : kinds()) {
      if (kind.kind.kind != "HelmRelease") make(kind.kind, name_space);
    }
  });
}

void Flux::make(const KubeKind& kind, const std::string& name_space) {
  if (api_.find({kind, name_space, kName})) return;
  json object{{"apiVersion", api_version_of(kind)}, {"kind", kind.kind}};
  object["metadata"] = {{"name", kName}, {"namespace", name_space}};
  object["spec"]["interval"] = "1h";
  api_.put(std::move(object), kManager);
}

void Flux::reconcile(const KubeRef& ref) {
  const json* object = api_.find(ref);
  if (!object) return;
  json status{{"observedGeneration", number_at(*object, {"metadata", "generation"})}};
  status["conditions"] = {{{"type", "Ready"},
                           {"status", "True"},
                           {"reason", "ReconciliationSucceeded"},
                           {"message", "played by the lab"}}};
  api_.put_status(ref, std::move(status));
}

}  // namespace ichor::lab
