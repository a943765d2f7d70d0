#include "run/etcd_snapshot.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <memory>

#include "cluster/machine_search.h"
#include "engine/etcd_look.h"
#include "phase/etcd_health.h"
#include "phase/etcd_report.h"
#include "phase/take_snapshot.h"
#include "run/engine_run.h"
#include "run/snapshot_files.h"
#include "secrets/sops_seal.h"
#include "wait/retry_table.h"

namespace ichor {

namespace {

/// Encrypted snapshots are never on the disk in plain text, so they are in memory.
constexpr std::uint64_t kSealedMax = 1ull << 30;

std::string hex(EtcdMemberId id) { return fmt::format("{:016x}", id.value()); }

Task<void> look_into(Context context, World& world, const ClusterProfile& profile,
                     const JournalFacts& facts, ClusterView& view) {
  view = co_await look_at_etcd(context, world, profile, facts);
}

Task<void> fetch_into(Context context, World& world, const ClusterProfile& profile,
                      const JournalFacts& facts, const NodePlan& plan, ByteSink& sink,
                      CallResult<void>& result) {
  result =
      co_await fetch_snapshot(context.within(kSnapshotTime), world, profile, facts, plan, sink);
}

tl::unexpected<RunResult> refuse(std::string what, std::string fix, std::string id = "E9",
                                 NodeName node = {}, Exit exit = Exit::failed) {
  RunResult result;
  result.exit = exit;
  result.verdict = what;
  result.findings.push_back({Severity::error, std::move(id), std::move(node), "snapshot",
                             std::move(what), std::move(fix)});
  return tl::unexpected(std::move(result));
}

/// The control plane whose member is asked.
OrEnd<const NodeView*> choose_source(const ClusterView& seen, const SnapshotOptions& options) {
  if (!options.node) {
    if (const NodeView* best = snapshot_source(seen)) return best;
    return refuse("no control plane has a member of etcd that a snapshot can be taken from",
                  "`ichor etcd status` shows what is wrong", "E8");
  }
  const auto found = std::find_if(seen.nodes.begin(), seen.nodes.end(),
                                  [&](const NodeView& node) { return node.node == *options.node; });
  const std::string name = options.node->value();
  if (found == seen.nodes.end()) {
    return end_with(Exit::usage, fmt::format("{} is not a control plane of this cluster", name));
  }
  if (is_corrupt_member(*found)) {
    return refuse(fmt::format("etcd raised the alarm CORRUPT for {}", name),
                  "take the snapshot from another control plane", "E9", *options.node,
                  Exit::unsafe);
  }
  if (found->presence == Presence::configured) return &*found;
  return refuse(fmt::format("{} is {}", name, name_of(found->presence)),
                "take the snapshot from another control plane", "E8", *options.node);
}

/// Why what was taken is not what etcd has; nothing if it is.
std::optional<std::string> contradiction(const etcd::SnapshotFacts& facts, const NodeView& source) {
  const auto has = [](const std::vector<EtcdMember>& list, EtcdMemberId id) {
    return std::any_of(list.begin(), list.end(),
                       [&](const EtcdMember& member) { return member.id == id; });
  };
  if (source.etcd.members) {
    for (const EtcdMember& member : *source.etcd.members) {
      if (has(facts.members, member.id)) continue;
      return fmt::format("etcd lists the member {}, which the snapshot does not have",
                         hex(member.id));
    }
    for (const EtcdMember& member : facts.members) {
      if (has(*source.etcd.members, member.id)) continue;
      return fmt::format("the snapshot has the member {}, which etcd does not list",
                         hex(member.id));
    }
  }
  if (!source.etcd.status) return std::nullopt;
  const std::uint64_t applied = source.etcd.status->raft_applied_index;
  if (facts.raft_index + kIndexLag >= applied) return std::nullopt;
  return fmt::format("the snapshot ends at the raft index {}, and etcd had applied {} before",
                     facts.raft_index, applied);
}

/// Streams it and proves it; the facts of what `whole` then holds.
template <class Bytes>
OrEnd<etcd::SnapshotFacts> stream_into(Bytes& whole, const ProfileInput& input, Workspace& space,
                                       const NodeView& source, Host& host) {
  ReadOnlyWorld looking(space, host);
  CancelScope scope;
  const Context context{&host.loop.clock(), &scope};
  CallResult<void> streamed;
  const NodePlan& plan = *input.profile.find(source.node);
  const int signal = host.loop.drive(
      fetch_into(context, looking.world(), input.profile, space.facts, plan, whole, streamed),
      scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
  if (signal != 0) return end_with(Exit::interrupted, "interrupted");
  if (!streamed) {
    const RetryRule rule = rule_for(streamed.error());
    return refuse(fmt::format("{}: {}", source.node.value(), to_text(streamed.error())),
                  std::string(rule.hint), std::string(rule.fault), source.node);
  }
  auto facts = etcd::inspect_snapshot(whole);
  if (!facts) {
    return refuse(fmt::format("{}: {}", source.node.value(), facts.error().message),
                  "take it again, or from another control plane with `-n`", "E9", source.node);
  }
  if (auto why = contradiction(*facts, source)) {
    return refuse(fmt::format("{}: {}", source.node.value(), *why),
                  "take it again when no member joins or leaves", "E9", source.node);
  }
  return *std::move(facts);
}

/// In the clear: straight to the disk.
OrEnd<etcd::SnapshotFacts> take_plain(const ProfileInput& input, Workspace& space,
                                      const NodeView& source, const std::string& path, Host& host) {
  auto draft = host.files.draft(path);
  if (!draft) return end_with(draft.error());
  auto facts = stream_into(**draft, input, space, source, host);
  if (!facts) return facts;
  if (auto kept = (*draft)->keep(); !kept) return end_with(kept.error());
  return facts;
}

Result<void> keep_sealed(const MemoryBytes& whole, const SnapshotOptions& options, Host& host) {
  const SealOptions sealing{options.path, options.recipients, "binary", "age", {}};
  const auto sealed =
      seal_text(sealing, SecretString(whole.bytes()), host.loop.clock().wall(), host);
  if (!sealed) return forward_error(sealed);
  auto draft = host.files.draft(options.path);
  if (!draft) return forward_error(draft);
  if (auto taken = (*draft)->take(sealed->reveal()); !taken) return forward_error(taken);
  return (*draft)->keep();
}

/// Encrypted: plain text stays in memory.
OrEnd<etcd::SnapshotFacts> take_sealed(const ProfileInput& input, Workspace& space,
                                       const NodeView& source, const SnapshotOptions& options,
                                       Host& host) {
  MemoryBytes whole(kSealedMax);
  auto facts = stream_into(whole, input, space, source, host);
  if (!facts) return facts;
  if (auto kept = keep_sealed(whole, options, host); !kept) return end_with(kept.error());
  return facts;
}

/// Writes the metadata beside it, and removes older ones.
Result<TakenSnapshot> describe(const etcd::SnapshotFacts& facts, const ClusterProfile& profile,
                               const NodeView& source, const SnapshotOptions& options, Host& host) {
  TakenSnapshot taken;
  taken.node = source.node;
  taken.path = options.path;
  taken.encrypted = options.encrypt;
  taken.facts = facts;
  if (source.etcd.status && source.etcd.status->leader == EtcdMemberId{}) {
    taken.warnings.push_back(
        {Severity::warning, "E8", taken.node, "snapshot",
         "etcd has no leader: the snapshot has what this member knew, which may not be all",
         "keep the snapshots of the other members as well: `ichor etcd snapshot FILE -n NODE`"});
  }
  const SnapshotMetadata metadata = metadata_of(taken, profile, source, host.loop.clock().wall());
  taken.metadata = metadata_path(options.path);
  const auto written =
      host.files.create_private(taken.metadata, SecretString(to_json(metadata)), true);
  if (!written) return forward_error(written);
  auto removed = remove_older(options.path, metadata, options.keep, host.files);
  if (!removed) return forward_error(removed);
  taken.removed = *std::move(removed);
  return taken;
}

OrEnd<void> check_place(const SnapshotOptions& options, Host& host) {
  if (host.files.has_file(options.path)) {
    return end_with(Exit::failed,
                    options.path + " already exists: choose another name for the snapshot");
  }
  if (options.encrypt) return {};
  if (auto allowed = host.files.may_export(options.path); !allowed) {
    return end_with(allowed.error());
  }
  return {};
}

}  // namespace

OrEnd<ClusterView> see_etcd(const ClusterProfile& profile, Workspace& space, Host& host) {
  if (auto found = find_machines(profile, space, host); !found) return forward_error(found);
  ReadOnlyWorld looking(space, host);
  CancelScope scope;
  ClusterView view;
  const Context context{&host.loop.clock(), &scope};
  const int signal =
      host.loop.drive(look_into(context, looking.world(), profile, space.facts, view), scope);
  if (signal == SIGTERM) return end_with(Exit::terminated, "terminated");
  if (signal != 0) return end_with(Exit::interrupted, "interrupted");
  return view;
}

OrEnd<etcd::SnapshotFacts> inspect_live(const ProfileInput& input, Workspace& space, Host& host) {
  const auto seen = see_etcd(input.profile, space, host);
  if (!seen) return forward_error(seen);
  const auto source = choose_source(*seen, SnapshotOptions{});
  if (!source) return forward_error(source);
  MemoryBytes whole(kSealedMax);
  return stream_into(whole, input, space, **source, host);
}

OrEnd<TakenSnapshot> take_snapshot(const ProfileInput& input, Workspace& space,
                                   const SnapshotOptions& options, Host& host) {
  if (auto free = check_place(options, host); !free) return forward_error(free);
  const auto seen = see_etcd(input.profile, space, host);
  if (!seen) return forward_error(seen);
  const auto source = choose_source(*seen, options);
  if (!source) return forward_error(source);
  const auto facts = options.encrypt ? take_sealed(input, space, **source, options, host)
                                     : take_plain(input, space, **source, options.path, host);
  if (!facts) return forward_error(facts);
  auto taken = describe(*facts, input.profile, **source, options, host);
  if (!taken) return end_with(taken.error());
  return *std::move(taken);
}

namespace {

CallError refused(std::string why, Code code) {
  return {
      Call::etcd_snapshot, Progress::answered, TlsVerdict::fine, code, std::move(why), {}, "E9"};
}

/// Streams it into `whole` and proves it.
template <class Bytes>
Task<CallResult<etcd::SnapshotFacts>> prove_into(Bytes& whole, Context context,
                                                 TalosSession& session, const NodeView& source) {
  const auto streamed = co_await session.etcd_snapshot(context, whole);
  if (!streamed) co_return forward_error(streamed);
  auto facts = etcd::inspect_snapshot(whole);
  if (!facts) co_return tl::unexpected(refused(facts.error().message, Code::data_loss));
  const auto why = contradiction(*facts, source);
  if (why) co_return tl::unexpected(refused(*why, Code::data_loss));
  co_return *std::move(facts);
}

}  // namespace

Task<CallResult<std::string>> keep_snapshot(Context context, TalosSession& session,
                                            const NodeName& node, const ClusterProfile& profile,
                                            const SnapshotOptions& options, Host& host,
                                            std::optional<TakenSnapshot>& taken) {
  if (auto free = check_place(options, host); !free) {
    co_return tl::unexpected(refused(free.error().verdict, Code::failed_precondition));
  }
  NodeView source;
  source.node = node;
  auto version = co_await session.version(context);
  if (version) source.version = *version;
  auto members = co_await session.etcd_members(context);
  if (!members) co_return forward_error(members);
  source.etcd.members = *std::move(members);
  auto status = co_await session.etcd_status(context);
  if (!status) co_return forward_error(status);
  source.etcd.status = *std::move(status);
  CallResult<etcd::SnapshotFacts> facts;
  Result<void> kept;
  if (options.encrypt) {
    MemoryBytes whole(kSealedMax);
    facts = co_await prove_into(whole, context, session, source);
    if (facts) kept = keep_sealed(whole, options, host);
  } else {
    auto draft = host.files.draft(options.path);
    if (!draft) co_return tl::unexpected(refused(draft.error().message, Code::internal));
    facts = co_await prove_into(**draft, context, session, source);
    if (facts) kept = (*draft)->keep();
  }
  if (!facts) co_return forward_error(facts);
  if (!kept) co_return tl::unexpected(refused(kept.error().message, Code::internal));
  auto described = describe(*facts, profile, source, options, host);
  if (!described) co_return tl::unexpected(refused(described.error().message, Code::internal));
  taken = *std::move(described);
  co_return taken->path;
}

}  // namespace ichor
