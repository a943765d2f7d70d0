#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/journal_record.h"
#include "sim/seed_plan.h"

namespace ichor::sim {

/// The sides of everything that leaves the process: a journal write, a call, a file operation.
enum class CrashSite {
  before_append,
  after_append,
  before_call,
  after_call,
  before_file,
  after_file,
};
std::string_view name_of(CrashSite site);

/// Where ichor can be killed, by name: "before-call Bootstrap", "after-journal intent Bootstrap".
struct CrashPoint {
  CrashSite site{CrashSite::before_call};
  std::string_view what;  // lives for ever
  bool operator==(const CrashPoint&) const = default;
};
std::string to_text(const CrashPoint& point);

/// A record by what it tells; intents and outcomes also by their call.
std::string_view what_of(const JournalRecord& record);

/// The file operations of a run.
inline constexpr std::string_view kLockFile = "lock";
inline constexpr std::string_view kUnlockFile = "unlock";
inline constexpr std::string_view kWriteFile = "artifact";

/// Every point that a bring-up passes, up to the nodes or to the handover. A campaign that was
/// never killed at one of them proves nothing about it and says so.
const std::vector<CrashPoint>& crash_points(Line line = Line::talos);

}  // namespace ichor::sim
