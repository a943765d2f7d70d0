#pragma once

#include <cstdint>
#include <string_view>

#include "journal/state_folder.h"

namespace ichor {

/// The file `lock` in the state folder. Its lock is an open-file-description lock: it belongs to
/// this object, excludes every other opener (other processes, other process namespaces, this very
/// process), and ends with the object or the process however that ends.
///
/// What is locked is the byte at the generation's offset. Breaking a lock moves to the next
/// generation, so that a holder which is stuck but alive cannot keep others out.
///
/// The content is for people who look into the folder; nothing is decided by it.
class LockFile {
 public:
  static constexpr const char* kName = "lock";

  static Result<LockFile> open(const StateFolder& folder);

  /// False if another one holds this generation.
  Result<bool> try_lock(std::int64_t generation);
  /// Whether the name in the folder still leads to this file.
  Result<bool> in_place(const StateFolder& folder) const;
  std::uint64_t inode() const { return inode_; }

  /// An empty text leaves an empty file.
  Result<void> write(std::string_view text);

 private:
  LockFile(OwnedFd fd, std::uint64_t inode) : fd_(std::move(fd)), inode_(inode) {}

  OwnedFd fd_;
  std::uint64_t inode_;
};

}  // namespace ichor
