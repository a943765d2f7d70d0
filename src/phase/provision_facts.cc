#include "phase/provision_facts.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "model/provider_call.h"

namespace ichor {

namespace {

constexpr std::string_view kTaskKey = "provider task";

Call call_of(VmDeed deed) {
  switch (deed) {
    case VmDeed::create: return kCreateVm;
    case VmDeed::start: return kStartVm;
    case VmDeed::stop: return kStopVm;
    case VmDeed::destroy: return kDestroyVm;
  }
  return kCreateVm;
}

std::optional<VmDeed> deed_of(Call call) {
  for (int number = 0; number < kVmDeedCount; ++number) {
    const auto deed = static_cast<VmDeed>(number);
    if (call_of(deed) == call) return deed;
  }
  return std::nullopt;
}

std::string text_of(const VmPlace& place) { return fmt::format("{}/{}", place.host, place.id); }

VmPlace place_of(std::string_view text) {
  VmPlace place;
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return place;
  place.host = std::string(text.substr(0, slash));
  std::from_chars(text.data() + slash + 1, text.data() + text.size(), place.id);
  return place;
}

/// Behind the place: "pve1/101 UPID:pve1:…".
ProviderTaskId before_of(std::string_view text) {
  const std::size_t space = text.find(' ');
  return ProviderTaskId(space == text.npos ? std::string() : std::string(text.substr(space + 1)));
}

JournalRecord record_of(RecordKind kind, VmDeed deed, const NodeName& node, const VmPlace& place) {
  JournalRecord record;
  record.kind = kind;
  record.node = node;
  record.call = call_of(deed);
  record.key = fmt::format("proxmox {} {}", name_of(deed), place.id);
  return record;
}

}  // namespace

std::string_view name_of(VmDeed deed) {
  switch (deed) {
    case VmDeed::create: return "create";
    case VmDeed::start: return "start";
    case VmDeed::stop: return "stop";
    case VmDeed::destroy: return "destroy";
  }
  return "?";
}

JournalRecord intent_record(VmDeed deed, const NodeName& node, const VmPlace& place,
                            const ProviderTaskId& before) {
  JournalRecord record = record_of(RecordKind::intent, deed, node, place);
  record.value = text_of(place);
  if (!before.value().empty()) record.value += " " + before.value();
  return record;
}

JournalRecord task_record(VmDeed deed, const NodeName& node, const VmPlace& place,
                          std::uint64_t intent, const ProviderTaskId& task) {
  JournalRecord record = record_of(RecordKind::observed, deed, node, place);
  record.key = std::string(kTaskKey);
  record.ref = intent;
  record.value = task.value();
  return record;
}

JournalRecord outcome_record(VmDeed deed, const NodeName& node, const VmPlace& place,
                             std::uint64_t intent, OutcomeKind outcome, std::string why) {
  JournalRecord record = record_of(RecordKind::outcome, deed, node, place);
  record.ref = intent;
  record.outcome = outcome;
  record.value = std::move(why);
  return record;
}

void ProvisionFacts::fold(const JournalRecord& record) {
  const auto deed = deed_of(record.call);
  if (!deed) return;
  if (record.kind == RecordKind::intent) {
    VmAttempt attempt;
    attempt.deed = *deed;
    attempt.intent = record.seq;
    attempt.wall_ms = record.wall_ms;
    attempt.open = true;
    attempt.place = place_of(record.value);
    attempt.before = before_of(record.value);
    attempt.node = record.node;
    if (*deed == VmDeed::create) made_[attempt.place.id] = attempt.node;
    attempts_[attempt.place.id] = std::move(attempt);
    return;
  }
  const bool names_task = record.kind == RecordKind::observed && record.key == kTaskKey;
  if (names_task) tasks_.insert(ProviderTaskId(record.value));
  const auto found = std::find_if(attempts_.begin(), attempts_.end(),
                                  [&](const auto& one) { return one.second.intent == record.ref; });
  // An attempt that a later one replaced is of no interest any more.
  if (found == attempts_.end()) return;
  VmAttempt& attempt = found->second;
  if (names_task) attempt.task = ProviderTaskId(record.value);
  if (record.kind != RecordKind::outcome) return;
  attempt.open = record.outcome == OutcomeKind::unknown;
  const OutcomeKind unmade =
      attempt.deed == VmDeed::destroy ? OutcomeKind::done : OutcomeKind::refused;
  const bool makes = attempt.deed == VmDeed::create || attempt.deed == VmDeed::destroy;
  if (makes && record.outcome == unmade) made_.erase(attempt.place.id);
}

const NodeName* ProvisionFacts::made(VmId id) const {
  const auto found = made_.find(id);
  return found == made_.end() ? nullptr : &found->second;
}

const VmAttempt* ProvisionFacts::last(VmId id) const {
  const auto found = attempts_.find(id);
  return found == attempts_.end() ? nullptr : &found->second;
}

std::vector<const VmAttempt*> ProvisionFacts::open() const {
  std::vector<const VmAttempt*> open;
  for (const auto& [id, attempt] : attempts_) {
    if (attempt.open) open.push_back(&attempt);
  }
  return open;
}

}  // namespace ichor
