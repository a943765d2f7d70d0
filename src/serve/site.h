#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "serve/guard.h"
#include "serve/served_cluster.h"

namespace ichor {

/// What a path asks for. Only names that clusters have lead anywhere: a path is never one of a
/// file.
struct SiteRoute {
  enum class Kind { nowhere, clusters, cluster, run, report, metrics, script, changes, run_events };
  Kind kind{Kind::nowhere};
  std::size_t cluster{0};  // its place in the list
  std::size_t run{0};      // from 1
};

/// Where a path below the root leads.
SiteRoute route_of(std::string_view path, const std::vector<ServedCluster>& clusters);

/// The page, the report, the script or the metrics of a route that is not an event stream.
PageReply reply_for(const Admitted& asked, const SiteRoute& route,
                    const std::vector<ServedCluster>& clusters, std::string_view version,
                    WallTime now);

/// The head of an event stream.
PageReply event_stream();

/// One event of a stream, of a type that docs/commands/serve.md lists. `data` has no line breaks.
std::string stream_event(std::string_view type, std::uint64_t id, std::string_view data);

/// Keeps a stream open that has nothing to say.
inline constexpr const char* kStreamBeat = ": beat\n\n";

/// After which record a client goes on that was connected before, or asks with ?after=SEQ; 0
/// without one.
std::uint64_t stream_start(const PageRequest& request, std::string_view query);

}  // namespace ichor
