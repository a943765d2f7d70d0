#include "run/snapshot_files.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "model/json.h"
#include "run/etcd_snapshot.h"

namespace ichor {

namespace {

constexpr std::string_view kType = "etcd-snapshot";
constexpr std::string_view kEnding = ".json";

std::string hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

/// Milliseconds too, because they order snapshots that were taken one after another.
std::string utc(WallTime time) {
  const auto seconds = static_cast<std::time_t>(time.unix_ms / 1000);
  std::tm parts{};
  if (!gmtime_r(&seconds, &parts)) return "?";
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", parts, time.unix_ms % 1000);
}

std::uint64_t number_in(const nlohmann::json& value, const char* key) {
  const auto found = value.find(key);
  return found != value.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::uint64_t hex_in(const nlohmann::json& value, const char* key) {
  const std::string text = text_in(value, key);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

SnapshotMetadata metadata_of(const TakenSnapshot& taken, const ClusterProfile& profile,
                             const NodeView& source, WallTime now) {
  SnapshotMetadata metadata;
  metadata.cluster = profile.name;
  metadata.taken = utc(now);
  metadata.node = taken.node.value();
  if (source.version) metadata.talos = to_text(*source.version);
  metadata.kubernetes = profile.talos.kubernetes_version;
  if (source.etcd.status) metadata.etcd = source.etcd.status->version;
  metadata.storage = taken.facts.storage_version;
  metadata.revision = taken.facts.revision;
  metadata.keys = taken.facts.keys;
  metadata.raft_index = taken.facts.raft_index;
  metadata.raft_term = taken.facts.raft_term;
  metadata.bytes = taken.facts.bytes;
  metadata.sha256 = to_hex(taken.facts.sha256);
  metadata.encrypted = taken.encrypted;
  metadata.members = taken.facts.members;
  return metadata;
}

std::string to_json(const SnapshotMetadata& metadata) {
  nlohmann::ordered_json value;
  value["type"] = kType;
  value["cluster"] = metadata.cluster;
  value["taken"] = metadata.taken;
  value["node"] = metadata.node;
  value["talos"] = metadata.talos;
  value["kubernetes"] = metadata.kubernetes;
  value["etcd"] = metadata.etcd;
  value["storage"] = metadata.storage;
  value["revision"] = metadata.revision;
  value["keys"] = metadata.keys;
  value["raft_index"] = metadata.raft_index;
  value["raft_term"] = metadata.raft_term;
  value["bytes"] = metadata.bytes;
  value["sha256"] = metadata.sha256;
  value["encrypted"] = metadata.encrypted;
  value["members"] = nlohmann::ordered_json::array();
  for (const EtcdMember& member : metadata.members) {
    value["members"].push_back({{"id", hex(member.id.value())},
                                {"name", member.hostname},
                                {"learner", member.is_learner}});
  }
  return value.dump(2) + "\n";
}

Result<SnapshotMetadata> metadata_from_json(const std::string& text) {
  const auto value = parse_json(text);
  if (!value) return forward_error(value);
  if (text_in(*value, "type") != kType) return fail(Errc::invalid, "not metadata of a snapshot");
  SnapshotMetadata metadata;
  metadata.cluster = text_in(*value, "cluster");
  metadata.taken = text_in(*value, "taken");
  metadata.node = text_in(*value, "node");
  metadata.talos = text_in(*value, "talos");
  metadata.kubernetes = text_in(*value, "kubernetes");
  metadata.etcd = text_in(*value, "etcd");
  metadata.storage = text_in(*value, "storage");
  metadata.sha256 = text_in(*value, "sha256");
  metadata.revision = number_in(*value, "revision");
  metadata.keys = number_in(*value, "keys");
  metadata.raft_index = number_in(*value, "raft_index");
  metadata.raft_term = number_in(*value, "raft_term");
  metadata.bytes = number_in(*value, "bytes");
  const auto encrypted = value->find("encrypted");
  metadata.encrypted = encrypted != value->end() && encrypted->is_boolean() && *encrypted;
  const auto members = value->find("members");
  if (members == value->end() || !members->is_array()) return metadata;
  for (const nlohmann::json& member : *members) {
    if (!member.is_object()) return fail(Errc::invalid, "not metadata of a snapshot");
    const auto learner = member.find("learner");
    const bool is_learner = learner != member.end() && learner->is_boolean() && *learner;
    metadata.members.push_back(
        {EtcdMemberId(hex_in(member, "id")), text_in(member, "name"), is_learner});
  }
  return metadata;
}

std::string metadata_path(const std::string& path) { return path + std::string(kEnding); }

Result<std::vector<std::string>> remove_older(const std::string& path,
                                              const SnapshotMetadata& newest, int keep,
                                              Files& files) {
  std::vector<std::string> removed;
  if (keep <= 0) return removed;
  const auto [folder, own_name] = split(path);
  std::vector<std::pair<std::string, std::string>> ours;  // when it was taken, its path
  for (const std::string& name : files.list_folder(folder).value_or(std::vector<std::string>())) {
    // The new one stays, whatever the clock said when the others were taken.
    if (!name.ends_with(kEnding) || name == metadata_path(own_name)) continue;
    const auto text = files.read_below(folder, name);
    if (!text || !*text) continue;
    const auto metadata = metadata_from_json(**text);
    if (!metadata || metadata->cluster != newest.cluster || metadata->taken.empty()) continue;
    const std::string snapshot = folder + "/" + name.substr(0, name.size() - kEnding.size());
    ours.emplace_back(metadata->taken, snapshot);
  }
  std::sort(ours.rbegin(), ours.rend());
  for (std::size_t i = static_cast<std::size_t>(keep) - 1; i < ours.size(); ++i) {
    const std::string& snapshot = ours[i].second;
    if (auto gone = files.remove(snapshot); !gone) return forward_error(gone);
    if (auto gone = files.remove(metadata_path(snapshot)); !gone) return forward_error(gone);
    removed.push_back(snapshot);
  }
  return removed;
}

}  // namespace ichor
