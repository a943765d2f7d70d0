#include "model/journal_facts.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/provider_call.h"
#include "model/removed_record.h"

namespace ichor {

namespace {

template <class Map>
const typename Map::mapped_type* lookup(const Map& map, const NodeName& node) {
  const auto found = map.find(node);
  return found == map.end() ? nullptr : &found->second;
}

/// Splits off what stands before `separator`, or all of it.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view head = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return head;
}

}  // namespace

void JournalFacts::fold(const JournalRecord& record, MonoTime now) {
  ++count_;
  // Machines at a provider have facts of their own (phase/provision_facts.h). What the journal
  // knows of a node's life ends with its machine. A machine that was made is a new life as well,
  // for one that others removed left no record; unless the node did something since it was asked
  // for: then this outcome comes late, and of that same life.
  if (record.call >= kCreateVm) {
    const bool done = record.kind == RecordKind::outcome && record.outcome == OutcomeKind::done;
    const bool removed = done && record.call == kDestroyVm;
    const auto lives = [&](const auto& of_call) {
      const MutationFact* fact = lookup(of_call.second, record.node);
      return fact && fact->intent > record.ref;
    };
    const auto settled = settled_.find(record.node);
    const bool seen_since = settled != settled_.end() && settled->second > record.ref;
    const bool made = done && record.call == kCreateVm && !seen_since &&
                      std::none_of(mutations_.begin(), mutations_.end(), lives);
    if (!removed && !made) return;
    JournalRecord reset;
    reset.kind = RecordKind::observed;
    reset.node = record.node;
    reset.key = std::string(kResetKey);
    return fold_observed(reset);
  }
  const bool of_kubernetes =
      record.call >= Call::kube_apply &&
      (record.kind == RecordKind::intent || record.kind == RecordKind::outcome);
  if (of_kubernetes) return fold_kubernetes(record);
  switch (record.kind) {
    case RecordKind::secrets_fixed: secrets_ = digest_from_hex(record.value); break;
    case RecordKind::contract_fixed: contract_ = record.value; break;
    case RecordKind::identity_bound: bound_[record.node] = decode_identity(record.value); break;
    case RecordKind::bootstrap_target: bootstrap_target_ = record.node; break;
    case RecordKind::intent:
      mutations_[record.call][record.node] = {record.seq, OutcomeKind::unknown, record.key,
                                              digest_from_hex(record.value), now};
      if (record.call == Call::apply_configuration) came_back_.erase(record.node);
      break;
    case RecordKind::outcome: {
      MutationFact& fact = mutations_[record.call][record.node];
      if (fact.intent == record.ref) {
        fact.outcome = record.outcome;
        fact.at = now;
      }
      break;
    }
    case RecordKind::observed: fold_observed(record); break;
    case RecordKind::node_excluded: excluded_[record.node] = true; break;
    case RecordKind::run_started: fold_start(record); break;
    case RecordKind::run_ended: break;
  }
}

void JournalFacts::fold_start(const JournalRecord& record) {
  // The operator who starts another run has read why, and asks for another try.
  fell_back_.clear();
  const Digest plan = digest_from_hex(record.value);
  // A run of Kubernetes phases has no plan of the nodes. The first builds wrote the word "phases"
  // where the cluster's name belongs, and their journals must stay usable.
  if (plan.empty() && record.key == "phases") return;
  cluster_ = record.key;
  if (!plan.empty()) plan_ = plan;
}

void JournalFacts::fold_kubernetes(const JournalRecord& record) {
  if (record.kind == RecordKind::intent) {
    open_[record.key] = record.seq;
    return;
  }
  const auto open = open_.find(record.key);
  const bool settled = record.outcome != OutcomeKind::unknown;
  if (settled && open != open_.end() && open->second == record.ref) open_.erase(open);
}

void JournalFacts::fold_observed(const JournalRecord& record) {
  if (record.key == kSettledKey) settled_[record.node] = record.seq;
  if (record.key == kAdoptedKey) adopted_ = true;
  if (record.key == kRestoreKey) {
    const Digest snapshot = digest_from_hex(record.value);
    restoring_ = snapshot.empty() ? std::nullopt : std::optional(snapshot);
  }
  if (record.key == kSnapshotKey) snapshot_ = record.value;
  if (record.key == kKubernetesKey || record.key == kKubernetesDoneKey) {
    kubernetes_ = record.value;
    kubernetes_open_ = record.key == kKubernetesKey;
  }
  if (record.key == kRemovedKey) {
    bound_.erase(record.node);
    settled_.erase(record.node);
    came_back_.erase(record.node);
    for (auto& [call, by_node] : mutations_) by_node.erase(record.node);
  }
  if (record.key == kFellBackKey) {
    fell_back_[record.node] = record.value;
    mutations_[Call::upgrade].erase(record.node);
  }
  if (record.key != kResetKey) return;
  came_back_[record.node] = record.value;
  settled_.erase(record.node);
  // Of a cluster whose nodes were all reset nothing is left that could go back.
  const auto reset = [&](const auto& known) { return came_back_.contains(known.first); };
  if (std::all_of(bound_.begin(), bound_.end(), reset)) {
    kubernetes_.clear();
    kubernetes_open_ = false;
  }
  for (auto& [call, by_node] : mutations_) by_node.erase(record.node);
  // The machine stays bound to the name, but it is not found running any more.
  const auto bound = bound_.find(record.node);
  if (bound == bound_.end()) return;
  bound->second.identity.boot_id = {};
  // The reset went over a connection that the cluster's CA proved; its next boot has a new key.
  bound->second.fingerprint = {};
}

const BoundIdentity* JournalFacts::bound(const NodeName& node) const {
  return lookup(bound_, node);
}

const MutationFact* JournalFacts::last(Call call, const NodeName& node) const {
  const auto found = mutations_.find(call);
  return found == mutations_.end() ? nullptr : lookup(found->second, node);
}

bool JournalFacts::settled(const NodeName& node) const { return settled_.contains(node); }

bool JournalFacts::confirmed(const NodeName& node) const {
  const auto settled = settled_.find(node);
  if (settled == settled_.end()) return false;
  const MutationFact* sent = last(Call::apply_configuration, node);
  return !sent || sent->intent < settled->second;
}

bool JournalFacts::excluded(const NodeName& node) const { return excluded_.contains(node); }

const std::string* JournalFacts::came_back_in(const NodeName& node) const {
  return lookup(came_back_, node);
}

const std::string* JournalFacts::fell_back(const NodeName& node) const {
  return lookup(fell_back_, node);
}

bool JournalFacts::cordoned(const NodeName& node) const {
  const MutationFact* on = last(Call::cordon, node);
  const MutationFact* off = last(Call::uncordon, node);
  if (!on || on->outcome == OutcomeKind::refused) return false;
  return !off || off->outcome != OutcomeKind::done || off->intent < on->intent;
}

bool JournalFacts::found_running(const NodeName& node) const {
  const BoundIdentity* first_seen = bound(node);
  // In maintenance mode the boot id cannot be read.
  return first_seen && !first_seen->identity.boot_id.value().empty() &&
         !last(Call::apply_configuration, node);
}

std::string encode_identity(const Identity& identity, const Fingerprint& fingerprint) {
  std::string macs;
  for (const MacAddress& mac : identity.macs) {
    if (!macs.empty()) macs += ',';
    macs += mac.value();
  }
  return fmt::format("uuid={};serial={};macs={};boot={};pin={}", identity.uuid.value(),
                     identity.serial.value(), macs, identity.boot_id.value(), fingerprint.value());
}

std::string encode_binding(const BoundIdentity& bound) {
  return fmt::format("{};since={};clock={}", encode_identity(bound.identity, bound.fingerprint),
                     bound.identity.since, bound.clock_set ? "set" : "unset");
}

BoundIdentity decode_identity(std::string_view text) {
  BoundIdentity bound;
  while (!text.empty()) {
    std::string_view value = cut(text, ';');
    const std::string_view key = cut(value, '=');
    if (key == "uuid") bound.identity.uuid = MachineUuid(std::string(value));
    if (key == "serial") bound.identity.serial = SerialNumber(std::string(value));
    if (key == "boot") bound.identity.boot_id = BootId(std::string(value));
    if (key == "pin") bound.fingerprint = Fingerprint(std::string(value));
    if (key == "since") bound.identity.since = std::string(value);
    if (key == "clock") bound.clock_set = value != "unset";
    while (key == "macs" && !value.empty()) {
      bound.identity.macs.emplace_back(std::string(cut(value, ',')));
    }
  }
  return bound;
}

}  // namespace ichor
