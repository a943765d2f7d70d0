#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "port/byte_stream.h"

namespace ichor::etcd {

/// A bbolt database that is only read: what an etcd snapshot is. Whoever wrote it may have been
/// broken or hostile, so every number of it is checked before it is used, and no page is visited
/// twice.
class BoltFile {
 public:
  /// Reads the meta pages. `source` must outlive the file; only its first `size` bytes belong to
  /// the database. Errc::invalid for what is no database, or a damaged one.
  static Result<BoltFile> open(const ByteSource& source, std::uint64_t size);

  /// One entry of a bucket, valid during the call.
  struct Entry {
    std::string_view key;
    std::string_view value;
  };
  using Visit = std::function<Result<void>(const std::string& bucket, const Entry& entry)>;

  /// Visits every entry of every bucket in the order of the keys. Errc::invalid if a page lies
  /// outside of the file, is of another kind than its place demands or is used twice, or keys are
  /// out of order: etcd would refuse to restore such a file, or break later.
  Result<void> walk(const Visit& visit);

 private:
  struct Page {
    std::uint16_t flags{0};
    std::uint16_t count{0};
    std::string bytes;  // with the header
  };

  BoltFile(const ByteSource& source, std::uint32_t page_size, std::uint64_t pages,
           std::uint64_t root)
      : source_(&source), page_size_(page_size), pages_(pages), root_(root) {}

  Result<Page> read_page(std::uint64_t id);
  Result<void> walk_root(const Visit& visit);
  Result<void> walk_page(const Page& page, const std::string& bucket, int depth,
                         const Visit& visit);
  Result<void> walk_branch(const Page& page, const std::string& bucket, int depth,
                           const Visit& visit);
  Result<void> walk_leaf(const Page& page, const std::string& bucket, int depth,
                         const Visit& visit);
  Result<void> walk_bucket(std::string_view name, std::string_view value, int depth,
                           const Visit& visit);
  Result<void> in_order(std::string_view key);

  const ByteSource* source_;
  std::uint32_t page_size_;
  std::uint64_t pages_;  // in use, from the start of the file
  std::uint64_t root_;
  std::vector<bool> seen_;
  std::string last_key_;  // of the bucket that is walked
  bool first_key_{true};
};

}  // namespace ichor::etcd
