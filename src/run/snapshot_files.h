#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/cluster_profile.h"
#include "model/node_view.h"
#include "port/files.h"

namespace ichor {

struct TakenSnapshot;

/// What is written beside a snapshot, so that its owner need not open it to know what it is.
struct SnapshotMetadata {
  std::string cluster;
  std::string taken;  // "2026-11-19T18:00:00Z"
  std::string node;
  std::string talos, kubernetes, etcd, storage;  // versions
  std::uint64_t revision{0};
  std::uint64_t keys{0};
  std::uint64_t raft_index{0}, raft_term{0};
  std::uint64_t bytes{0};  // of the snapshot, before it was encrypted
  std::string sha256;      // of its database, as at the end of the snapshot
  bool encrypted{false};
  std::vector<EtcdMember> members;
};

SnapshotMetadata metadata_of(const TakenSnapshot& taken, const ClusterProfile& profile,
                             const NodeView& source, WallTime now);
std::string to_json(const SnapshotMetadata& metadata);
/// Errc::invalid for a text that to_json() did not write.
Result<SnapshotMetadata> metadata_from_json(const std::string& text);

/// Of the snapshot at `path`.
std::string metadata_path(const std::string& path);

/// Removes all but the newest `keep` snapshots of this cluster in the folder of `path`, each with
/// its metadata, and says which. A file without metadata is not ours to remove. Zero keeps all.
Result<std::vector<std::string>> remove_older(const std::string& path,
                                              const SnapshotMetadata& newest, int keep,
                                              Files& files);

}  // namespace ichor
