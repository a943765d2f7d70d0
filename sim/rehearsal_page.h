#pragma once

#include <string>

#include "sim/rehearsal.h"

namespace ichor {

/// How a rehearsal was run: what the page and the tables say in front.
struct RehearsalTitle {
  std::string cluster;
  std::string profile;  // the file
  std::string about;    // "3 control planes, 3 workers, Talos 1.12.6"
};

/// A rehearsal as one HTML page, like the report of a run.
std::string rehearsal_page(const RehearsalTitle& title, const sim::RehearsalReport& report);

/// "95.0%".
std::string percent_text(double part);
/// "5m12s", "-" if there is none.
std::string time_text(const std::optional<Duration>& time);
/// The seeds by how they ended: "190 ready, 10 stopped as declared".
std::string ends_text(const sim::RehearsalFigures& figures);

}  // namespace ichor
