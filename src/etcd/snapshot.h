#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/node.h"
#include "port/byte_stream.h"

namespace ichor::etcd {

/// What is in a snapshot, as the file itself says it.
struct SnapshotFacts {
  std::uint64_t bytes{0};  // of the file
  Digest sha256;           // of its database, as at the end of the file
  std::uint64_t revision{0};
  std::uint64_t keys{0};  // that exist at that revision
  std::uint64_t raft_index{0};
  std::uint64_t raft_term{0};
  std::string storage_version;  // "3.6.0"; empty before etcd 3.6
  std::vector<EtcdMember> members;
};

/// Proves that a file is a whole snapshot: the hash that etcd appends is that of the content, every
/// page of the database is sound, and its buckets say what etcd restores from. A stream that Talos
/// cuts short ends without an error, so only this tells a whole file from half of one.
///
/// Errc::invalid for a file that etcd would not restore; the message says why.
Result<SnapshotFacts> inspect_snapshot(const ByteSource& file);

}  // namespace ichor::etcd
