#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/journal_record.h"

namespace ichor {

/// The journal as text for people and pull requests: every run with its verdict, what was sent to
/// whom and what came of it, and what was found out. Pure: the same journal gives the same bytes.
std::vector<std::string> report_lines(std::string_view cluster,
                                      const std::vector<JournalRecord>& records);

/// "2026-01-31 12:00:00Z".
std::string utc_text(std::int64_t unix_ms);

}  // namespace ichor
