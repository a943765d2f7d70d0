#pragma once

#include <string>
#include <vector>

#include "sim/kube/api_server.h"
#include "sim/kube/controllers.h"
#include "sim/kube/gauge.h"
#include "sim/kube/helm.h"
#include "sim/kube/workloads.h"
#include "sim/seeded_random.h"

namespace ichor::sim {

/// flux-operator and the controllers that it brings: a FluxInstance makes their kinds served, then
/// the source is fetched, Kustomizations are built and HelmReleases take over what is installed.
class Flux {
 public:
  Flux(ApiServer& api, Clock& clock, Workloads& workloads, Helm& helm, SeededRandom random);

  /// Something that it looks at may have changed; it looks again after a while.
  void nudge();
  /// Instance, source, Kustomizations and HelmReleases are Ready.
  const Gauge& ready() const { return ready_; }

  // --- what goes wrong
  void lock_repository(bool locked);  // the source cannot be fetched
  void break_kustomization(bool broken);

 private:
  struct Part {
    KubeRef ref;
    bool told_ready{false};
    std::string told;  // the message
  };

  void look();
  void install();
  void tell(Part& part, const std::string& trouble);
  std::string trouble_with_source() const;
  std::string trouble_with_build() const;

  ApiServer& api_;
  Clock& clock_;
  Workloads& workloads_;
  Helm& helm_;
  SeededRandom random_;
  Later later_;
  bool looks_{false};  // soon
  bool installed_{false};
  bool begun_{false};
  bool locked_{false};
  bool fetched_{false};
  bool broken_{false};
  Part instance_, source_, cluster_, apps_, release_;
  Gauge ready_;
};

}  // namespace ichor::sim
