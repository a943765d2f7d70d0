#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "base/time.h"
#include "model/journal_record.h"

namespace ichor {

/// Keys of `observed` records by which people read a run. No decision rests on them. The command
/// that was typed, the versions of the profile, and the members of etcd when it was healthy.
inline constexpr std::string_view kCommandKey = "command";
inline constexpr std::string_view kVersionsKey = "versions";
inline constexpr std::string_view kMembersKey = "etcd members";
/// This and the name of a step that took time or did not pass.
inline constexpr std::string_view kStepKey = "step ";

/// How a node, or the cluster, came through a step.
struct StepFact {
  std::string step;
  std::string end;  // "passed", "out of time"
  Duration took{};
  int retries{0};
};

/// The value is "61250 ms, 3 retries, passed".
inline JournalRecord step_record(const NodeName& node, const StepFact& fact) {
  using std::chrono::milliseconds;
  JournalRecord record;
  record.kind = RecordKind::observed;
  record.node = node;
  record.key = std::string(kStepKey) + fact.step;
  record.value = std::to_string(std::chrono::duration_cast<milliseconds>(fact.took).count()) +
                 " ms, " + std::to_string(fact.retries) + " retries, " + fact.end;
  return record;
}

inline bool is_step(const JournalRecord& record) {
  return record.kind == RecordKind::observed && record.key.starts_with(kStepKey);
}

/// What such a record says; what it does not say is empty.
inline StepFact step_in(const JournalRecord& record) {
  StepFact fact;
  fact.step = record.key.substr(std::min(record.key.size(), kStepKey.size()));
  const char* const end = record.value.data() + record.value.size();
  std::int64_t took_ms = 0;
  const auto took = std::from_chars(record.value.data(), end, took_ms);
  fact.took = std::chrono::milliseconds(took_ms);
  constexpr std::string_view kAfterTime = " ms, ";
  constexpr std::string_view kAfterRetries = " retries, ";
  std::string_view rest(took.ptr, static_cast<std::size_t>(end - took.ptr));
  if (!rest.starts_with(kAfterTime)) return fact;
  rest.remove_prefix(kAfterTime.size());
  const auto retries = std::from_chars(rest.data(), end, fact.retries);
  rest = std::string_view(retries.ptr, static_cast<std::size_t>(end - retries.ptr));
  if (rest.starts_with(kAfterRetries)) fact.end = rest.substr(kAfterRetries.size());
  return fact;
}

}  // namespace ichor
