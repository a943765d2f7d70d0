#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/journal_record.h"

namespace ichor {

/// The journal as one HTML page that needs nothing else: no script, no remote file, light and dark,
/// fit for paper. The newest run comes first, each with its verdict, a timeline of every node, the
/// evidence for the bootstrap, all changes and all facts. Everything from the journal is cleaned
/// and escaped. With a run id the page has that run alone. Pure: the same journal gives the same
/// bytes.
std::string html_report(std::string_view cluster, const std::vector<JournalRecord>& records,
                        std::string_view run = {});

}  // namespace ichor
