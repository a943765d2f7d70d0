#pragma once

#include <vector>

#include "model/finding.h"
#include "port/files.h"

namespace ichor {

/// Adds to each finding that points into a file the line that it means, with a caret below the
/// column, as further lines of `what`: for people. A line that may hold a secret is not shown
/// beyond its key.
void show_source_lines(std::vector<Finding>& findings, Files& files);

}  // namespace ichor
