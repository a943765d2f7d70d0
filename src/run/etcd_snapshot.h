#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/profile_input.h"
#include "cluster/workspace.h"
#include "etcd/snapshot.h"
#include "model/node_view.h"
#include "model/or_end.h"
#include "port/host.h"
#include "port/talos_api.h"

namespace ichor {

/// Where a snapshot goes, and how.
struct SnapshotOptions {
  std::string path;                     // a file that does not exist yet
  std::optional<NodeName> node;         // whose member is asked; empty: the best one
  bool encrypt{false};                  // with age, before it reaches the disk
  std::vector<std::string> recipients;  // empty: as for `ichor secrets encrypt`
  int keep{0};                          // of this cluster's beside it, the newest; 0: all
};

/// What was taken, and proved to be whole.
struct TakenSnapshot {
  NodeName node;
  std::string path;
  std::string metadata;  // the file beside it
  bool encrypted{false};
  etcd::SnapshotFacts facts;
  std::vector<std::string> removed;  // by `keep`
  std::vector<Finding> warnings;
};

/// Takes a snapshot of etcd: streamed to PATH.part, proved by its hash, its database and the
/// members that etcd lists, then renamed, with its metadata beside it as PATH.json. Nothing is left
/// behind that is not whole. Only reads of nodes, so no lock is needed; also the first step of
/// commands that could harm etcd.
OrEnd<TakenSnapshot> take_snapshot(const ProfileInput& input, Workspace& space,
                                   const SnapshotOptions& options, Host& host);

/// The same as a step of a run, on the session with the member that is asked: the path of the
/// snapshot. What of it an operator must see is in `taken`.
Task<CallResult<std::string>> keep_snapshot(Context context, TalosSession& session,
                                            const NodeName& node, const ClusterProfile& profile,
                                            const SnapshotOptions& options, Host& host,
                                            std::optional<TakenSnapshot>& taken);

/// What etcd holds now, by a snapshot that is only looked at and not kept. It is in memory
/// meanwhile.
OrEnd<etcd::SnapshotFacts> inspect_live(const ProfileInput& input, Workspace& space, Host& host);

/// One look at etcd on all control planes; ends only by a signal.
OrEnd<ClusterView> see_etcd(const ClusterProfile& profile, Workspace& space, Host& host);

}  // namespace ichor
