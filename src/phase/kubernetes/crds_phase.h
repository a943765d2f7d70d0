#pragma once

#include <map>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "phase/kubernetes/phase_run.h"

namespace ichor {

/// Phase 1: CustomResourceDefinitions and nothing else, from files, charts and a helmfile, all at
/// the same time; then every one of them is Established.
Task<void> run_crds(Context context, PhaseRun& run);

/// Charts that are rendered for their CRDs in one version and installed in another.
std::vector<Unmet> misaligned(const std::map<std::string, std::string>& crd_charts,
                              const std::vector<WantedRelease>& releases);

/// The values of a chart of CRDs; an empty mapping where the profile has none for it.
KubeObject values_of(const KubernetesMaterial& material, const KubernetesPlan::Chart& chart);

/// Marks CRDs of a chart as parts of the release that will install the same chart: helm takes over
/// what is there already only if it says so itself.
void mark_for_release(std::vector<KubeObject>& crds, const std::string& chart,
                      const std::vector<WantedRelease>& releases);

/// The last part of a chart's name, by which it is known: "oci://host/charts/cilium" is cilium.
std::string chart_name(const std::string& chart);

}  // namespace ichor
