#pragma once

#include <string>

#include "yaml/node.h"

namespace ichor::migrate {

/// The CEL expression over a link for a deviceSelector of the old style; empty if the selector says
/// nothing that a link shows.
std::string link_match(const yaml::Node& selector);

/// The CEL expression over a disk for machine.install: its diskSelector, or else its disk. Empty if
/// it has neither.
std::string disk_match(const yaml::Node& install);

}  // namespace ichor::migrate
