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

}  // namespace ichor
