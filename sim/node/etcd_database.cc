#include "sim/node/etcd_database.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "secrets/digest.h"

// The format is bbolt's: src/etcd/bolt_file.cc says how it is read. Every bucket has one leaf page,
// as long as it needs.

namespace ichor::sim {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHeader = 16;
constexpr std::size_t kElement = 16;
constexpr std::uint16_t kLeaf = 0x02, kMeta = 0x04, kFreelist = 0x10;

struct Entry {
  std::string key;
  std::string value;
  bool is_bucket{false};
};

template <class Number>
void append(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string big_endian(std::uint64_t number) {
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

std::string header(std::uint64_t id, std::uint16_t flags, std::size_t count, std::size_t pages) {
  std::string out;
  append(out, id);
  append(out, flags);
  append(out, static_cast<std::uint16_t>(count));
  append(out, static_cast<std::uint32_t>(pages - 1));
  return out;
}

/// The pages of a leaf with these entries, whose keys are in order.
std::string leaf(std::uint64_t id, const std::vector<Entry>& entries) {
  std::string elements;
  std::string data;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const std::size_t to_data = (entries.size() - i) * kElement + data.size();
    append(elements, std::uint32_t{entry.is_bucket});
    append(elements, static_cast<std::uint32_t>(to_data));
    append(elements, static_cast<std::uint32_t>(entry.key.size()));
    append(elements, static_cast<std::uint32_t>(entry.value.size()));
    data += entry.key + entry.value;
  }
  const std::size_t bytes = kHeader + elements.size() + data.size();
  const std::size_t pages = (bytes + kPage - 1) / kPage;
  std::string out = header(id, kLeaf, entries.size(), pages) + elements + data;
  out.resize(pages * kPage, '\0');
  return out;
}

std::string meta(std::uint64_t id, std::uint64_t root, std::uint64_t freelist, std::uint64_t pages,
                 std::uint64_t transaction) {
  std::string data;
  append(data, std::uint32_t{0xED0CDAED});
  append(data, std::uint32_t{2});
  append(data, static_cast<std::uint32_t>(kPage));
  append(data, std::uint32_t{0});
  append(data, root);
  append(data, std::uint64_t{0});
  append(data, freelist);
  append(data, pages);
  append(data, transaction);
  std::uint64_t checksum = 0xcbf29ce484222325ull;
  for (const char byte : data) {
    checksum = (checksum ^ static_cast<unsigned char>(byte)) * 0x100000001b3ull;
  }
  append(data, checksum);
  std::string out = header(id, kMeta, 0, 1) + data;
  out.resize(kPage, '\0');
  return out;
}

std::string record(const std::string& key, const std::string& value, std::uint64_t revision) {
  std::string out;
  const auto field = [&](int number, const std::string& bytes) {
    append_varint(out, static_cast<std::uint64_t>(number) << 3 | 2);
    append_varint(out, bytes.size());
    out += bytes;
  };
  field(1, key);
  for (const int number : {2, 3}) {  // created and modified at this revision
    append_varint(out, static_cast<std::uint64_t>(number) << 3);
    append_varint(out, revision);
  }
  append_varint(out, 4 << 3);
  append_varint(out, 1);
  field(5, value);
  return out;
}

/// One key for each of the last revisions.
std::vector<Entry> records(std::uint64_t last) {
  constexpr std::uint64_t kept = 24;
  std::vector<Entry> entries;
  for (std::uint64_t revision = last > kept ? last - kept + 1 : 1; revision <= last; ++revision) {
    const std::string key = fmt::format("/registry/configmaps/default/lab-{}", revision % kept);
    entries.push_back({big_endian(revision) + "_" + big_endian(0),
                       record(key, fmt::format("revision {}", revision), revision)});
  }
  return entries;
}

std::vector<Entry> members(const EtcdCluster& cluster) {
  std::vector<Entry> entries;
  for (const EtcdCluster::Member& member : cluster.members) {
    const std::string name = member.name.value();
    entries.push_back({fmt::format("{:x}", member.id.value()),
                       fmt::format(R"({{"id":{},"peerURLs":["https://{}:2380"],)"
                                   R"("name":"{}","clientURLs":["https://{}:2379"]{}}})",
                                   member.id.value(), name, name, name,
                                   member.learner ? R"(,"isLearner":true)" : "")});
  }
  std::ranges::sort(entries, {}, &Entry::key);
  return entries;
}

std::vector<Entry> facts(const EtcdCluster& cluster) {
  std::string voters;
  for (const EtcdCluster::Member& member : cluster.members) {
    if (member.learner) continue;
    voters += (voters.empty() ? "" : ",") + fmt::format("{}", member.id.value());
  }
  return {{"confState", fmt::format(R"({{"voters":[{}],"auto_leave":false}})", voters)},
          {"consistent_index", big_endian(cluster.raft_index)},
          {"storageVersion", "3.6.0"},
          {"term", big_endian(2)}};
}

}  // namespace

std::uint64_t store_revision(const EtcdCluster& cluster) {
  return cluster.restored_revision + cluster.raft_index;
}

std::string etcd_snapshot(const EtcdCluster& cluster) {
  const std::vector<std::pair<std::string, std::vector<Entry>>> buckets = {
      {"alarm", {}},
      {"auth", {}},
      {"authRoles", {}},
      {"authUsers", {}},
      {"cluster", {{"clusterVersion", "3.6.0"}}},
      {"key", records(store_revision(cluster))},
      {"lease", {}},
      {"members", members(cluster)},
      {"members_removed", {}},
      {"meta", facts(cluster)}};
  constexpr std::uint64_t kFirst = 2;  // after the meta pages
  std::string pages;
  std::vector<Entry> roots;
  const auto next_id = [&] { return kFirst + pages.size() / kPage; };
  for (const auto& [name, entries] : buckets) {
    std::string root;
    append(root, next_id());
    append(root, std::uint64_t{0});
    roots.push_back({name, std::move(root), true});
    pages += leaf(next_id(), entries);
  }
  const std::uint64_t root = next_id();
  pages += leaf(root, roots);
  const std::uint64_t freelist = next_id();
  std::string empty = header(freelist, kFreelist, 0, 1);
  empty.resize(kPage, '\0');
  pages += empty;
  const std::uint64_t count = next_id();
  const std::string database =
      meta(0, root, freelist, count, 2) + meta(1, root, freelist, count, 1) + pages;
  const Digest digest = pki::sha256(database);
  return database + std::string(digest.bytes.begin(), digest.bytes.end());
}

}  // namespace ichor::sim
