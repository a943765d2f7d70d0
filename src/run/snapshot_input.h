#pragma once

#include <memory>
#include <optional>
#include <string>

#include "etcd/snapshot.h"
#include "model/or_end.h"
#include "port/host.h"
#include "run/snapshot_files.h"

namespace ichor {

/// A snapshot that can be restored: its bytes in the clear, and what is in them.
struct SnapshotInput {
  std::unique_ptr<ByteSource> bytes;
  etcd::SnapshotFacts facts;
  std::optional<SnapshotMetadata> metadata;  // of the file beside it, if it is there
};

/// Opens the snapshot at `path`, decrypts it with this user's age keys if it is encrypted, and
/// proves that it is whole and what its metadata says. Ends with exit 64 if there is no such file,
/// and with 5 if it is damaged, or of another cluster by its metadata.
OrEnd<SnapshotInput> open_snapshot(const std::string& path, const std::string& cluster, Host& host);

}  // namespace ichor
