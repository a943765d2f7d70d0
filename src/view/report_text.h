#pragma once

#include <string>
#include <vector>

#include "port/display.h"

namespace ichor {

/// The journal as a Markdown page for people and pull requests: every run, or the one that is asked
/// for, with its verdict, kubeconfig, etcd members, the detector's verdict, what was skipped, the
/// time of its steps, and what was sent to whom. Pure: the same journal gives the same bytes.
std::vector<std::string> report_lines(const History& history);

}  // namespace ichor
