#pragma once

#include <string>
#include <vector>

#include "port/display.h"
#include "view/board.h"

namespace ichor {

/// All pure, all clean: what people see of data and results, one string per line.

/// Titles and rows in columns as wide as their longest cell. Lists are joined by commas. Columns
/// that are only for `wide` are left out without it.
std::vector<std::string> table_lines(const Listing& listing, bool wide = false);

/// "error C1 ichor.yaml:12:5: what" and the fix below it.
std::vector<std::string> finding_lines(const Finding& finding);

enum class Detail { quiet, usual, wide };

/// How each node ended, what was found, the verdict, how long the steps of `board` took, what was
/// written and what may be done next. `profile` and `board` may be null. Quiet leaves out the steps
/// and what was written.
std::vector<std::string> summary_lines(const Summary& summary, const ClusterProfile* profile,
                                       Detail detail = Detail::usual, const Board* board = nullptr);

/// "passed", "out of time": for people and programs.
std::string_view name_of(StepEnd end);

}  // namespace ichor
