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

/// Renders charts and the helmfile, and gives their CRDs; a failure is in the report. Changes
/// nothing, so that it can be done while nodes still boot.
Task<bool> render_crds(Context context, PhaseRun& run, std::vector<KubeObject>& crds);

/// Charts that are rendered for their CRDs in one version and installed in another.
std::vector<Unmet> misaligned(const std::map<std::string, std::string>& crd_charts,
                              const std::vector<WantedRelease>& releases);

/// The last part of a chart's name, by which it is known: "oci://host/charts/cilium" is cilium.
std::string chart_name(const std::string& chart);

}  // namespace ichor
