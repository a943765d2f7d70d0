#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/run_result.h"

namespace ichor {

/// A text as a workflow command of GitHub Actions carries it: percent signs and line ends escaped,
/// so that nothing in it is taken for a command of its own.
std::string annotation_text(std::string_view text);

/// Errors and warnings of a run as annotations of the job:
/// "::error title=E4 bootstrap (cp1)::what; fix".
std::vector<std::string> annotations(const RunResult& result);

}  // namespace ichor
