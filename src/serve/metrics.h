#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "serve/served_cluster.h"

namespace ichor {

/// The content type of the text format of Prometheus.
inline constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// All metrics of docs/guide/metrics.md, each with its HELP and TYPE, in a fixed order. Names and
/// labels are an interface. Pure.
std::string metrics_text(const std::vector<ServedCluster>& clusters, std::string_view version,
                         WallTime now);

}  // namespace ichor
