#include "sim/kube/controllers.h"

#include "phase/kubernetes/json_view.h"

namespace ichor::sim {

Controllers::Controllers(ApiServer& api, Clock& clock) : api_(api), later_(clock) {
  api_.listen([this](const KubeRef& ref, const KubeObject*, const KubeObject* now) {
    if (now) on_change(ref, now);
  });
}

void Controllers::on_change(const KubeRef& ref, const KubeObject* now) {
  if (ref.kind.kind == "Namespace" && text_at(*now, {"status", "phase"}).empty()) {
    api_.put_status(ref, {{"phase", "Active"}});
  }
  const bool is_crd = ref.kind.kind == "CustomResourceDefinition";
  if (!is_crd || condition_status(*now, "Established") == "True") return;
  later_.after(establishes_after, [this, ref] { establish(ref); });
}

void Controllers::establish(const KubeRef& ref) {
  const KubeObject* crd = api_.find(ref);
  if (!crd || never_established.contains(ref.name)) return;
  const KubeObject& versions = at(*crd, {"spec", "versions"});
  std::string version = "v1";
  if (versions.is_array() && !versions.empty()) version = text_at(versions.front(), {"name"});
  api_.serve({text_at(*crd, {"spec", "group"}), version, text_at(*crd, {"spec", "names", "kind"})},
             text_at(*crd, {"spec", "names", "plural"}),
             text_at(*crd, {"spec", "scope"}) == "Namespaced");
  KubeObject status;
  for (const char* type : {"NamesAccepted", "Established"}) {
    status["conditions"].push_back({{"type", type}, {"status", "True"}});
  }
  api_.put_status(ref, std::move(status));
}

}  // namespace ichor::sim
