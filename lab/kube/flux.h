#pragma once

#include <string>

#include "async/clock.h"
#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"

namespace ichor::lab {

/// Flux as it looks from outside: a FluxInstance brings the kinds of Flux, a source and a
/// Kustomization of its own, and whatever of these kinds is written becomes Ready. Nothing is
/// fetched, built or installed.
class Flux {
 public:
  Flux(sim::ApiServer& api, Clock& clock);

 private:
  void on_change(const KubeRef& ref, const nlohmann::json& now);
  void install(const std::string& name_space);
  void make(const KubeKind& kind, const std::string& name_space);
  void reconcile(const KubeRef& ref);

  sim::ApiServer& api_;
  sim::Later later_;
};

}  // namespace ichor::lab
