#include "sim/kube/flux.h"

#include "phase/kubernetes/json_view.h"
#include "secrets/base64.h"
#include "sim/canaries.h"

namespace ichor::sim {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kNamespace = "flux-system";
constexpr const char* kSource = "source.toolkit.fluxcd.io";
constexpr const char* kKustomize = "kustomize.toolkit.fluxcd.io";
constexpr const char* kHelm = "helm.toolkit.fluxcd.io";

KubeRef ref(const char* group, const char* kind, const char* name) {
  return {{group, "v1", kind}, kNamespace, name};
}

KubeObject crd(const char* group, const char* kind, const std::string& plural) {
  KubeObject result{{"apiVersion", "apiextensions.k8s.io/v1"},
                    {"kind", "CustomResourceDefinition"}};
  result["metadata"]["name"] = plural + "." + group;
  result["spec"] = {
      {"group", group}, {"scope", "Namespaced"}, {"names", {{"kind", kind}, {"plural", plural}}}};
  return result;
}

}  // namespace

Flux::Flux(ApiServer& api, Clock& clock, Workloads& workloads, Helm& helm, SeededRandom random)
    : api_(api), clock_(clock), workloads_(workloads), helm_(helm), random_(random), later_(clock) {
  instance_.ref = ref("fluxcd.controlplane.io", "FluxInstance", "flux");
  source_.ref = ref(kSource, "GitRepository", "flux-system");
  cluster_.ref = ref(kKustomize, "Kustomization", "cluster");
  apps_.ref = ref(kKustomize, "Kustomization", "apps");
  release_.ref = ref(kHelm, "HelmRelease", "coredns");
  api_.listen([this](const KubeRef& changed, const KubeObject*, const KubeObject*) {
    const std::string& kind = changed.kind.kind;
    const bool ours = kind == "FluxInstance" || kind == "Secret" || kind == "Deployment";
    if (ours && changed.name_space == kNamespace) nudge();
  });
}

void Flux::nudge() {
  if (looks_ || !api_.find(instance_.ref)) return;
  looks_ = true;
  later_.after(random_.between(seconds(2), seconds(7)), [this] {
    looks_ = false;
    look();
  });
}

void Flux::install() {
  begun_ = true;
  api_.put(crd(kSource, "GitRepository", "gitrepositories"), "flux-operator");
  api_.put(crd(kKustomize, "Kustomization", "kustomizations"), "flux-operator");
  api_.put(crd(kHelm, "HelmRelease", "helmreleases"), "flux-operator");
}

std::string Flux::trouble_with_source() const {
  if (locked_) return "failed to checkout: unable to clone: authentication required";
  const Workloads::Workload* dns = workloads_.find("coredns");
  if (!dns || !dns->ready.holds())
    return "failed to checkout: lookup git.example.org: no such host";
  if (!api_.find(ref("", "Secret", "deploy-key"))) return "secrets \"deploy-key\" not found";
  return {};
}

std::string Flux::trouble_with_build() const {
  // An artifact stays when a later fetch fails, and Kustomizations go on with it.
  if (!fetched_) return "Source artifact not found, retrying in 30s";
  const KubeObject* key = api_.find(ref("", "Secret", "sops-age"));
  const bool right =
      key && text_at(*key, {"data", "age.agekey"}) == pki::base64(kube_canary("age key"));
  if (!right) return "cannot get sops data key: no key could decrypt the data key";
  return broken_ ? "kustomize build failed: accumulating resources: no such file" : "";
}

void Flux::tell(Part& part, const std::string& trouble) {
  const KubeObject* object = api_.find(part.ref);
  if (!object) {
    KubeObject made{{"apiVersion", api_version_of(part.ref.kind)}, {"kind", part.ref.kind.kind}};
    made["metadata"] = {{"name", part.ref.name}, {"namespace", kNamespace}};
    made["spec"]["interval"] = "1h";
    api_.put(std::move(made), "flux-operator");
    object = api_.find(part.ref);
  }
  part.told_ready = trouble.empty();
  const std::int64_t generation = number_at(*object, {"metadata", "generation"});
  // With the generation before it: a changed object is reported again.
  std::string words = std::to_string(generation) + " " + trouble;
  if (part.told == words && object->contains("status")) return;
  part.told = std::move(words);
  KubeObject status{{"observedGeneration", generation}};
  status["conditions"].push_back({{"type", "Ready"},
                                  {"status", trouble.empty() ? "True" : "False"},
                                  {"reason", trouble.empty() ? "Succeeded" : "Failed"},
                                  {"message", trouble}});
  api_.put_status(part.ref, std::move(status));
}

void Flux::look() {
  const Workloads::Workload* manager = workloads_.find("flux-operator");
  if (!api_.find(instance_.ref) || !manager) return;
  if (!manager->ready.holds()) return nudge();
  if (!begun_) install();
  const bool served = api_.served(source_.ref.kind) && api_.served(apps_.ref.kind) &&
                      api_.served(release_.ref.kind);
  if (!served) return nudge();
  const bool was_ready = apps_.told_ready;
  tell(source_, trouble_with_source());
  fetched_ = fetched_ || source_.told_ready;
  tell(cluster_, trouble_with_build());
  tell(apps_, cluster_.told_ready && installed_ ? "" : "dependency 'cluster' is not ready");
  tell(release_, apps_.told_ready && was_ready ? "" : "HelmChart is not ready");
  tell(instance_, installed_ ? "" : "reconciliation in progress");
  if (release_.told_ready) helm_.adopt("coredns");
  installed_ = true;
  const bool all = source_.told_ready && cluster_.told_ready && apps_.told_ready &&
                   release_.told_ready && instance_.told_ready;
  ready_.set(all, clock_.now());
  if (!all) nudge();
}

void Flux::lock_repository(bool locked) {
  locked_ = locked;
  nudge();
}

void Flux::break_kustomization(bool broken) {
  broken_ = broken;
  nudge();
}

}  // namespace ichor::sim
