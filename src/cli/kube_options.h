#pragma once

#include <optional>
#include <string>

#include "cli/flag_set.h"
#include "cli/request.h"

namespace ichor {

/// Flags of the commands that speak with Kubernetes, spelled once.

/// "1" or "crds"; returns what is wrong with the word.
std::string take_phase(const std::string& word, UpPart& target);
/// The same, and "talos".
std::string take_part(const std::string& word, UpPart& target);

/// A flag that takes a time such as 90s, 5m or 1h.
void declare_time(FlagSet& flags, const std::string& names, std::optional<Duration>& target);

}  // namespace ichor
