#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/journal_record.h"
#include "model/node.h"

namespace ichor {

/// A mutation as the journal knows it. An intent without an outcome is Unknown: the process died or
/// the answer has not come yet.
struct MutationFact {
  std::uint64_t intent{0};
  OutcomeKind outcome{OutcomeKind::unknown};
  std::string mark;  // what tells one life of the node from the next: fingerprint or boot id
  Digest payload;    // of the config that was sent
  MonoTime at{};     // when it was recorded; for records of an earlier run, when this run began
};

struct BoundIdentity {
  Identity identity;
  Fingerprint fingerprint;  // of its maintenance certificate; empty: it was not seen under one
  bool clock_set{true};     // Talos makes a new key when it sets its clock
};

/// Everything decisions may know from the journal: the fold of its records. The live run appends a
/// record and folds it in, and a resumed run folds the same records, so both decide alike.
class JournalFacts {
 public:
  void fold(const JournalRecord& record, MonoTime now);

  const BoundIdentity* bound(const NodeName& node) const;
  /// The latest mutation of this kind on the node, if any was ever intended.
  const MutationFact* last(Call call, const NodeName& node) const;
  /// Seen under the cluster's CA after its install: it must never fall back to maintenance mode.
  bool settled(const NodeName& node) const;
  /// Whether it has been seen to run the config that it was last sent.
  bool confirmed(const NodeName& node) const;
  const std::optional<NodeName>& bootstrap_target() const { return bootstrap_target_; }
  const Digest& secrets() const { return secrets_; }
  /// By which the cluster's configs are generated: "1.12". Empty: not recorded yet.
  const std::string& contract() const { return contract_; }
  bool excluded(const NodeName& node) const;
  /// Whether the node ran under the cluster's CA when this journal first heard of it, and ichor has
  /// not configured it since: the cluster is older than the journal (L6).
  bool found_running(const NodeName& node) const;
  /// The boot in which a node came back from its reset, empty for one that stays off or has no
  /// config; null if it was never reset, or got a config since.
  const std::string* came_back_in(const NodeName& node) const;
  /// Why the last upgrade of the node in this run was given up: it runs its old version. Null: it
  /// was not.
  const std::string* fell_back(const NodeName& node) const;
  /// Whether ichor cordoned the node, and has not uncordoned it since.
  bool cordoned(const NodeName& node) const;
  /// The operator said that this journal goes on with a cluster that it has not made.
  bool adopted() const { return adopted_; }
  /// The snapshot that a restore started with and has not finished; null: there is none. Until then
  /// no empty etcd may be bootstrapped in its place.
  const Digest* restoring() const { return restoring_ ? &*restoring_ : nullptr; }
  /// "v1.13.9 PATH": the snapshot of etcd that was taken before the upgrade to this version, which
  /// is not finished. Null: there is none.
  const std::string* snapshot() const { return snapshot_.empty() ? nullptr : &snapshot_; }
  /// "v1.36.3": to where `ichor upgrade-k8s` brought the cluster, or started to. Empty: nowhere.
  const std::string& kubernetes() const { return kubernetes_; }
  /// That upgrade was not seen to be finished: components may be of several versions.
  bool kubernetes_open() const { return kubernetes_open_; }
  /// The cluster's name, as the last run had it. Empty: not recorded.
  const std::string& cluster() const { return cluster_; }
  /// Of the last run that worked on nodes: profile and configs. Empty: there was none.
  const Digest& plan() const { return plan_; }
  /// Whether a change of this Kubernetes object or release started and its end is not known.
  bool is_open(const std::string& key) const { return open_.contains(key); }
  bool empty() const { return count_ == 0; }
  /// All identities bound so far, for telling duplicates.
  const std::map<NodeName, BoundIdentity>& identities() const { return bound_; }

 private:
  void fold_start(const JournalRecord& record);
  void fold_observed(const JournalRecord& record);
  void fold_kubernetes(const JournalRecord& record);

  std::map<NodeName, BoundIdentity> bound_;
  std::map<Call, std::map<NodeName, MutationFact>> mutations_;
  std::map<NodeName, std::uint64_t> settled_;  // by the record that says so last
  std::map<NodeName, std::string> came_back_;
  std::map<NodeName, std::string> fell_back_;
  std::map<NodeName, bool> excluded_;
  std::map<std::string, std::uint64_t> open_;  // Kubernetes objects and releases, by key
  std::optional<NodeName> bootstrap_target_;
  std::optional<Digest> restoring_;
  bool adopted_{false};
  Digest secrets_;
  Digest plan_;
  std::string contract_;
  std::string cluster_;
  std::string snapshot_;
  std::string kubernetes_;
  bool kubernetes_open_{false};
  std::uint64_t count_{0};
};

/// "uuid=…;serial=…;macs=a,b;boot=…;pin=…": the value of bootstrap_target.
std::string encode_identity(const Identity& identity, const Fingerprint& fingerprint);
/// The same with ";since=…;clock=set": the value of identity_bound.
std::string encode_binding(const BoundIdentity& bound);
BoundIdentity decode_identity(std::string_view text);

/// Keys of `observed` records. Settled: the node was seen under the cluster's CA after its install.
/// Reset: it was taken back to where it has no config, so that nothing of its former life counts.
/// Adopted: see JournalFacts::adopted().
inline constexpr std::string_view kSettledKey = "settled";
inline constexpr std::string_view kResetKey = "reset";
inline constexpr std::string_view kAdoptedKey = "adopted";
/// A restore of etcd started with this snapshot; an empty value: it was seen to be finished.
inline constexpr std::string_view kRestoreKey = "restore";
/// See JournalFacts::snapshot(); an empty value: the upgrade is finished.
inline constexpr std::string_view kSnapshotKey = "snapshot";
/// See JournalFacts::kubernetes(): an upgrade started, and it was seen to be finished.
inline constexpr std::string_view kKubernetesKey = "kubernetes";
inline constexpr std::string_view kKubernetesDoneKey = "kubernetes done";
/// A node runs its old version after an upgrade; value: what was seen.
inline constexpr std::string_view kFellBackKey = "fell back";
/// `ichor unlock` broke the lock of a run; value: of which one.
inline constexpr std::string_view kUnlockedKey = "lock broken";
/// What a decision rested on, by the phase's name: for people who read the journal.
inline constexpr std::string_view kVerdictKey = "verdict ";

}  // namespace ichor
