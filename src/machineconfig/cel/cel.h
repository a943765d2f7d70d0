#pragma once

#include <string_view>
#include <vector>

#include "machineconfig/cel/library.h"
#include "machineconfig/cel/syntax.h"

namespace ichor::cel {

/// Whether Talos 1.`minor` would take the expression at this place: its syntax, its names, the
/// types of its parts and of its result, which is a bool for selectors and triggers and a double
/// for a ranking. Nothing is evaluated. An empty answer means yes.
std::vector<Problem> check_expression(std::string_view text, Place place, int minor);

}  // namespace ichor::cel
