#pragma once

#include <string>
#include <string_view>

namespace ichor {

/// The planted bug that is switched on; set before the first thread of a hunt starts. Only the
/// sources that tools/plant writes for ichor-mutants ask for it.
inline std::string selected_mutant;

inline bool mutant(std::string_view name) { return selected_mutant == name; }

}  // namespace ichor
