#include "phase/kubernetes/gates/queries.h"

namespace ichor {

namespace {

Task<Probed> ask_api(Context context, const GateWorld& place) {
  Probed probed;
  const auto ready = co_await place.kube->ready(context);
  if (ready) co_return probed;
  probed.refused =
      ready.error().code == Code::unauthenticated || ready.error().tls != TlsVerdict::fine;
  probed.over = probed.refused;
  Unmet away{"the Kubernetes API", to_text(ready.error()),
             "is an API server up and reachable, and the kubeconfig this cluster's?", "K3",
             probed.refused};
  probed.unmet.push_back(std::move(away));
  co_return probed;
}

}  // namespace

Gate api_gate(const GateInput&) {
  Gate gate;
  gate.probe = ask_api;
  return gate;
}

}  // namespace ichor
