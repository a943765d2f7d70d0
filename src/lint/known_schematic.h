#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machineconfig/schematic.h"

namespace ichor {

/// The schematic with this ID, found without asking the Image Factory: one with up to three
/// official extensions in the order of their names, with these kernel arguments or without any.
/// nullopt: it is another one. Takes up to half a second.
std::optional<Schematic> find_known_schematic(const std::string& id,
                                              const std::vector<std::string>& arguments);

}  // namespace ichor
