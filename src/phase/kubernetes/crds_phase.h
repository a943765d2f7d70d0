#pragma once

#include <map>
#include <string>
#include <vector>

#include "phase/kubernetes/kubernetes_phase.h"

namespace ichor {

/// Phase 1: CustomResourceDefinitions and nothing else, from files, charts and a helmfile, all at
/// the same time; then every one of them is Established.
class CrdsPhase final : public KubernetesPhase {
 public:
  CrdsPhase()
      : KubernetesPhase(1, "crds", &KubernetesPlan::PhaseBudgets::crds,
                        &KubernetesPlan::Slo::crds) {}
  void follow(Course& course) const override;
};

/// The releases of phase 2: those of its helmfile, then the profile's own. Nothing while the
/// helmfile has not been read.
std::optional<std::vector<const WantedRelease*>> wanted_releases(Course& course);

/// Charts that are rendered for their CRDs in one version and installed in another.
std::vector<Unmet> misaligned(const std::map<std::string, std::string>& crd_charts,
                              const std::vector<const WantedRelease*>& releases);

/// The values of a chart of CRDs; an empty mapping where the profile has none for it.
KubeObject values_of(const KubernetesMaterial& material, const KubernetesPlan::Chart& chart);

/// The release that installs the same chart, the last of them; null if there is none.
const WantedRelease* owner_of(const std::string& chart,
                              const std::vector<const WantedRelease*>& releases);

/// Marks CRDs of a chart as parts of the release that will install the same chart: helm takes over
/// an existing one only if it says so itself.
void mark_for_release(std::vector<KubeObject>& crds, const WantedRelease& release);

/// The last part of a chart's name, by which it is known: "oci://host/charts/cilium" is cilium.
std::string chart_name(const std::string& chart);

}  // namespace ichor
