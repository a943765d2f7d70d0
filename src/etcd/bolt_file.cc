#include "etcd/bolt_file.h"

#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>

// The format of bbolt. A file is pages of one size. Pages 0 and 1 are meta pages, of which the one
// with the higher transaction counts; it names the root page of a tree. Branch pages point to other
// pages, leaf pages hold keys and values; a value that is marked as a bucket names the root of a
// tree of its own, or carries that tree's only leaf itself. Numbers are little-endian, as on every
// machine that Talos runs on.

namespace ichor::etcd {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kMagic = 0xED0CDAED;
constexpr std::uint32_t kVersion = 2;
constexpr std::size_t kHeaderBytes = 16;  // of a page
constexpr std::size_t kMetaBytes = 64;
constexpr std::size_t kChecksumAt = 56;  // in the meta data
constexpr std::size_t kElementBytes = 16;
constexpr std::size_t kBucketBytes = 16;
constexpr std::uint16_t kBranchFlag = 0x01, kLeafFlag = 0x02;
constexpr std::uint32_t kBucketFlag = 0x01;
constexpr std::uint32_t kPageSizeMin = 512, kPageSizeMax = 1u << 20;
constexpr int kDepthMax = 64;
/// Of one page with what overflows from it: etcd takes values of 1.5 MiB.
constexpr std::uint64_t kPageBytesMax = 64u << 20;

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(Errc::invalid, fmt::format("the database is damaged: {}", what));
}

/// The number at a place that the caller has checked.
template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3ull;
  }
  return hash;
}

struct Meta {
  std::uint32_t page_size{0};
  std::uint64_t root{0};
  std::uint64_t pages{0};
  std::uint64_t transaction{0};
};

std::optional<Meta> meta_from(std::string_view bytes) {
  if (bytes.size() < kMetaBytes) return std::nullopt;
  if (number_at<std::uint32_t>(bytes, 0) != kMagic) return std::nullopt;
  if (number_at<std::uint32_t>(bytes, 4) != kVersion) return std::nullopt;
  const auto checksum = number_at<std::uint64_t>(bytes, kChecksumAt);
  if (checksum != fnv1a(bytes.substr(0, kChecksumAt))) return std::nullopt;
  Meta meta;
  meta.page_size = number_at<std::uint32_t>(bytes, 8);
  meta.root = number_at<std::uint64_t>(bytes, 16);
  meta.pages = number_at<std::uint64_t>(bytes, 40);
  meta.transaction = number_at<std::uint64_t>(bytes, 48);
  const bool sound = std::has_single_bit(meta.page_size) && meta.page_size >= kPageSizeMin &&
                     meta.page_size <= kPageSizeMax;
  return sound ? std::optional(meta) : std::nullopt;
}

std::optional<Meta> meta_at(const ByteSource& source, std::uint64_t size, std::uint64_t at) {
  if (at + kHeaderBytes + kMetaBytes > size) return std::nullopt;
  const auto bytes = source.read(at + kHeaderBytes, kMetaBytes);
  return bytes ? meta_from(*bytes) : std::nullopt;
}

}  // namespace

Result<BoltFile> BoltFile::open(const ByteSource& source, std::uint64_t size) {
  std::optional<Meta> meta = meta_at(source, size, 0);
  // Without a sound first page the size of pages is not known; etcd's machines have 4 KiB.
  const auto second = meta_at(source, size, meta ? meta->page_size : 4096);
  if (second && (!meta || second->transaction > meta->transaction)) meta = second;
  if (!meta) return fail(Errc::invalid, "not an etcd database: it has no sound meta page");
  if (meta->pages > size / meta->page_size) {
    return damaged(
        fmt::format("it ends after {} of {} pages", size / meta->page_size, meta->pages));
  }
  return BoltFile(source, meta->page_size, meta->pages, meta->root);
}

Result<BoltFile::Page> BoltFile::read_page(std::uint64_t id) {
  if (id < 2 || id >= pages_) return damaged(fmt::format("page {} is out of range", id));
  const std::uint64_t at = id * page_size_;
  const auto header = source_->read(at, kHeaderBytes);
  if (!header) return forward_error(header);
  if (number_at<std::uint64_t>(*header, 0) != id) {
    return damaged(fmt::format("page {} has another number", id));
  }
  const std::uint64_t overflow = number_at<std::uint32_t>(*header, 12);
  const std::uint64_t bytes = (overflow + 1) * page_size_;
  if (overflow >= pages_ - id || bytes > kPageBytesMax) {
    return damaged(fmt::format("page {} is too large", id));
  }
  for (std::uint64_t i = id; i <= id + overflow; ++i) {
    if (seen_[i]) return damaged(fmt::format("page {} is used twice", i));
    seen_[i] = true;
  }
  auto content = source_->read(at, static_cast<std::size_t>(bytes));
  if (!content) return forward_error(content);
  return Page{number_at<std::uint16_t>(*header, 8), number_at<std::uint16_t>(*header, 10),
              *std::move(content)};
}

Result<void> BoltFile::walk(const Visit& visit) {
  seen_.assign(static_cast<std::size_t>(pages_), false);
  return walk_root(visit);
}

Result<void> BoltFile::walk_root(const Visit& visit) {
  const auto page = read_page(root_);
  if (!page) return forward_error(page);
  first_key_ = true;
  return walk_page(*page, {}, 0, visit);
}

Result<void> BoltFile::walk_page(const Page& page, const std::string& bucket, int depth,
                                 const Visit& visit) {
  if (depth > kDepthMax) return damaged("its tree is too deep");
  if (page.flags == kBranchFlag) return walk_branch(page, bucket, depth, visit);
  if (page.flags == kLeafFlag) return walk_leaf(page, bucket, depth, visit);
  return damaged(fmt::format("a page is of kind {:#x}", page.flags));
}

Result<void> BoltFile::walk_branch(const Page& page, const std::string& bucket, int depth,
                                   const Visit& visit) {
  if (page.count == 0 || kHeaderBytes + page.count * kElementBytes > page.bytes.size()) {
    return damaged("a branch page has a wrong count");
  }
  for (std::size_t i = 0; i < page.count; ++i) {
    const std::size_t at = kHeaderBytes + i * kElementBytes;
    const auto child = read_page(number_at<std::uint64_t>(page.bytes, at + 8));
    if (!child) return forward_error(child);
    if (auto walked = walk_page(*child, bucket, depth + 1, visit); !walked) return walked;
  }
  return {};
}

Result<void> BoltFile::in_order(std::string_view key) {
  const bool rises = first_key_ || key > last_key_;
  first_key_ = false;
  last_key_ = key;
  return rises ? Result<void>() : damaged("keys are out of order");
}

Result<void> BoltFile::walk_leaf(const Page& page, const std::string& bucket, int depth,
                                 const Visit& visit) {
  if (kHeaderBytes + page.count * kElementBytes > page.bytes.size()) {
    return damaged("a leaf page has a wrong count");
  }
  for (std::size_t i = 0; i < page.count; ++i) {
    const std::size_t at = kHeaderBytes + i * kElementBytes;
    const auto flags = number_at<std::uint32_t>(page.bytes, at);
    const std::uint64_t key_at = at + number_at<std::uint32_t>(page.bytes, at + 4);
    const std::uint64_t key_bytes = number_at<std::uint32_t>(page.bytes, at + 8);
    const std::uint64_t value_bytes = number_at<std::uint32_t>(page.bytes, at + 12);
    if (key_at + key_bytes + value_bytes > page.bytes.size()) {
      return damaged("an entry lies outside of its page");
    }
    const std::string_view bytes = page.bytes;
    const std::string_view key = bytes.substr(key_at, key_bytes);
    const std::string_view value = bytes.substr(key_at + key_bytes, value_bytes);
    if (auto ordered = in_order(key); !ordered) return ordered;
    // Buckets of etcd hold no buckets, and its root holds nothing else.
    const bool is_bucket = (flags & kBucketFlag) != 0;
    if (is_bucket != bucket.empty()) return damaged("a bucket is not where etcd has its buckets");
    const auto walked =
        is_bucket ? walk_bucket(key, value, depth, visit) : visit(bucket, Entry{key, value});
    if (!walked) return walked;
  }
  return {};
}

Result<void> BoltFile::walk_bucket(std::string_view name, std::string_view value, int depth,
                                   const Visit& visit) {
  if (value.size() < kBucketBytes || name.empty()) return damaged("a bucket has no root");
  const auto root = number_at<std::uint64_t>(value, 0);
  Page page;
  if (root != 0) {
    auto read = read_page(root);
    if (!read) return forward_error(read);
    page = *std::move(read);
  } else {
    page.bytes = std::string(value.substr(kBucketBytes));
    if (page.bytes.size() < kHeaderBytes) return damaged("a bucket without a page");
    page.flags = number_at<std::uint16_t>(page.bytes, 8);
    page.count = number_at<std::uint16_t>(page.bytes, 10);
  }
  const std::string outer = std::exchange(last_key_, {});
  first_key_ = true;
  auto walked = walk_page(page, std::string(name), depth + 1, visit);
  last_key_ = outer;
  first_key_ = false;
  return walked;
}

}  // namespace ichor::etcd
