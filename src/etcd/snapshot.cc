#include "etcd/snapshot.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <unordered_set>

#include "base/clean_text.h"
#include "etcd/bolt_file.h"
#include "model/json.h"
#include "secrets/digest.h"

namespace ichor::etcd {

namespace {

constexpr std::size_t kHashBytes = 32;
/// etcd appends the hash to whole pages, and takes a file of another size for one without a hash.
constexpr std::uint64_t kSector = 512;
constexpr std::size_t kReadBytes = 1u << 20;
/// A revision: eight bytes, an underscore, eight bytes, and for a key that was deleted a t.
constexpr std::size_t kRevisionBytes = 17;
constexpr std::size_t kMembersMax = 100;

Result<Digest> hash_of(const ByteSource& file, std::uint64_t bytes) {
  pki::Sha256 hash;
  for (std::uint64_t at = 0; at < bytes;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kReadBytes, bytes - at));
    const auto piece = file.read(at, count);
    if (!piece) return forward_error(piece);
    hash.add(*piece);
    at += count;
  }
  return hash.finish();
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes.substr(0, 8)) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

/// The key in a stored record, which is its first field; empty if it is not.
std::string_view key_of_record(std::string_view record) {
  constexpr char key_field = 0x0a;
  if (record.empty() || record.front() != key_field) return {};
  record.remove_prefix(1);
  std::size_t size = 0;
  for (int shift = 0; !record.empty() && shift < 28; shift += 7) {
    const auto byte = static_cast<unsigned char>(record.front());
    record.remove_prefix(1);
    size |= static_cast<std::size_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return record.substr(0, size);
  }
  return {};
}

/// Builds the facts while the database is walked.
class Reader {
 public:
  explicit Reader(SnapshotFacts& facts) : facts_(facts) {}

  Result<void> take(const std::string& bucket, const BoltFile::Entry& entry) {
    if (bucket == "key") return take_record(entry);
    if (bucket == "members") return take_member(entry);
    if (bucket == "meta") take_meta(entry);
    return {};
  }
  /// What the walk must have met; an empty text if it did.
  std::string missing() const {
    if (facts_.members.empty()) return "it names no members";
    if (facts_.raft_index == 0) return "it has no consistent index";
    if (facts_.revision == 0) return "it has no revision";
    return {};
  }
  void finish() { facts_.keys = keys_.size(); }

 private:
  Result<void> take_record(const BoltFile::Entry& entry) {
    const bool revision = entry.key.size() >= kRevisionBytes && entry.key[8] == '_';
    if (!revision) return fail(Errc::invalid, "a key of the snapshot is not a revision");
    facts_.revision = big_endian(entry.key);
    const std::size_t key = std::hash<std::string_view>()(key_of_record(entry.value));
    const bool deleted = entry.key.size() > kRevisionBytes;
    if (deleted) {
      keys_.erase(key);
    } else {
      keys_.insert(key);
    }
    return {};
  }

  Result<void> take_member(const BoltFile::Entry& entry) {
    std::uint64_t id = 0;
    const char* const end = entry.key.data() + entry.key.size();
    const auto parsed = std::from_chars(entry.key.data(), end, id, 16);
    const auto value = parse_json(entry.value);
    if (parsed.ec != std::errc{} || parsed.ptr != end || !value || !value->is_object()) {
      return fail(Errc::invalid, "a member in the snapshot cannot be read");
    }
    if (facts_.members.size() == kMembersMax) {
      return fail(Errc::invalid, fmt::format("more than {} members", kMembersMax));
    }
    const auto learner = value->find("isLearner");
    const bool is_learner = learner != value->end() && learner->is_boolean() && *learner;
    facts_.members.push_back(
        {EtcdMemberId(id), clean_text(text_in(*value, "name"), 253), is_learner});
    return {};
  }

  void take_meta(const BoltFile::Entry& entry) {
    const bool number = entry.value.size() == 8;
    if (entry.key == "consistent_index" && number) facts_.raft_index = big_endian(entry.value);
    if (entry.key == "term" && number) facts_.raft_term = big_endian(entry.value);
    if (entry.key == "storageVersion") facts_.storage_version = clean_text(entry.value, 64);
  }

  SnapshotFacts& facts_;
  std::unordered_set<std::size_t> keys_;  // their hashes: the keys of a large cluster are megabytes
};

}  // namespace

Result<SnapshotFacts> inspect_snapshot(const ByteSource& file) {
  SnapshotFacts facts;
  facts.bytes = file.size();
  if (facts.bytes % kSector != kHashBytes) {
    return fail(
        Errc::invalid,
        fmt::format("the snapshot is cut off: {} bytes do not end with a SHA-256", facts.bytes));
  }
  const std::uint64_t database = facts.bytes - kHashBytes;
  const auto appended = file.read(database, kHashBytes);
  if (!appended) return forward_error(appended);
  std::copy(appended->begin(), appended->end(), facts.sha256.bytes.begin());
  const auto actual = hash_of(file, database);
  if (!actual) return forward_error(actual);
  if (*actual != facts.sha256) {
    return fail(Errc::invalid, "the snapshot is damaged: its content has another SHA-256");
  }
  auto bolt = BoltFile::open(file, database);
  if (!bolt) return forward_error(bolt);
  Reader reader(facts);
  const auto walked = bolt->walk([&](const std::string& bucket, const BoltFile::Entry& entry) {
    return reader.take(bucket, entry);
  });
  if (!walked) return forward_error(walked);
  if (const std::string missing = reader.missing(); !missing.empty()) {
    return fail(Errc::invalid, "the snapshot cannot be restored: " + missing);
  }
  reader.finish();
  return facts;
}

}  // namespace ichor::etcd
