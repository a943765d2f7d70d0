#include "run/snapshot_input.h"

#include <fmt/format.h>

#include "secrets/age.h"
#include "secrets/age_keys.h"

namespace ichor {

namespace {

constexpr std::uint64_t kSealedMax = 3ull << 29;  // an armored GiB is a third larger
constexpr std::size_t kHeadBytes = 64;

Result<std::unique_ptr<ByteSource>> decrypted(const ByteSource& file, const std::string& path,
                                              Host& host) {
  if (file.size() > kSealedMax) {
    return fail(Errc::invalid, path + ": too large to be decrypted in memory; decrypt it first");
  }
  const auto sealed = file.read(0, static_cast<std::size_t>(file.size()));
  if (!sealed) return forward_error(sealed);
  const AgeKeys keys = find_age_keys({}, host);
  const auto plain = age::decrypt(*sealed, keys.identities);
  if (!plain) {
    return fail(plain.error().code, fmt::format("{}: {}; looked for keys in: {}", path,
                                                plain.error().message, keys.text()));
  }
  auto bytes = std::make_unique<MemoryBytes>();
  if (auto taken = bytes->take(plain->reveal()); !taken) return forward_error(taken);
  return bytes;
}

/// The metadata beside the snapshot; nothing if there is none.
Result<std::optional<SnapshotMetadata>> metadata_beside(const std::string& path, Host& host) {
  const std::string beside = metadata_path(path);
  if (!host.files.has_file(beside)) return std::optional<SnapshotMetadata>();
  const auto text = host.files.read_input(beside);
  if (!text) return forward_error(text);
  auto metadata = metadata_from_json(*text);
  if (!metadata) return fail(Errc::unsafe, beside + ": " + metadata.error().message);
  return std::optional(*std::move(metadata));
}

tl::unexpected<RunResult> not_ours(const std::string& what, const std::string& fix) {
  RunResult result;
  result.exit = Exit::unsafe;
  result.verdict = what;
  result.findings.push_back({Severity::error, "E9", {}, "snapshot", what, fix});
  return tl::unexpected(std::move(result));
}

}  // namespace

OrEnd<SnapshotInput> open_snapshot(const std::string& path, const std::string& cluster,
                                   Host& host) {
  auto file = host.files.open_large(path);
  if (!file) return end_with(Exit::usage, file.error().message);
  const auto head = (*file)->read(0, std::min<std::size_t>(kHeadBytes, (*file)->size()));
  if (!head) return end_with(head.error());
  SnapshotInput input;
  if (age::looks_encrypted(*head)) {
    auto plain = decrypted(**file, path, host);
    if (!plain) return end_with(plain.error());
    input.bytes = *std::move(plain);
  } else {
    input.bytes = *std::move(file);
  }
  const auto facts = etcd::inspect_snapshot(*input.bytes);
  if (!facts) {
    return not_ours(fmt::format("{}: {}", path, facts.error().message),
                    "take another snapshot; Talos would refuse this one");
  }
  input.facts = *facts;
  auto metadata = metadata_beside(path, host);
  if (!metadata) return end_with(metadata.error());
  input.metadata = *std::move(metadata);
  if (!input.metadata) return input;
  if (input.metadata->cluster != cluster) {
    return not_ours(
        fmt::format("{} is a snapshot of {}, not of {}", path, input.metadata->cluster, cluster),
        "name a snapshot of this cluster");
  }
  if (input.metadata->sha256 != to_hex(input.facts.sha256)) {
    return not_ours(fmt::format("{} is not the snapshot that its metadata describes", path),
                    fmt::format("compare it with {}", metadata_path(path)));
  }
  return input;
}

}  // namespace ichor
