#pragma once

#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/finding.h"
#include "phase/kubernetes/chart_source.h"
#include "phase/kubernetes/tools.h"
#include "port/events.h"

namespace ichor {

/// What was done ahead.
struct Prefetch {
  FetchedCharts charts;           // that phases 1 and 2 need not fetch again
  int rendered{0};                // charts, and helmfiles as a whole
  std::vector<Finding> findings;  // warnings: the phase itself tries again
};

/// Fetches the charts of phases 1 and 2 into the state folder and renders them, one by one, while
/// the nodes still boot: what is wrong with a registry, a version or values is known minutes
/// earlier, and the phases begin with what is there. Changes nothing in a cluster. Called off, it
/// leaves what it has.
Task<void> prefetch_charts(Context context, ToolPlace place, std::string kubernetes_version,
                           EventSink& events, Prefetch& into);

}  // namespace ichor
