#pragma once

#include "lab/status.h"
#include "port/display.h"

namespace ichor {

/// The nodes of a lab, and where they are.
Listing lab_listing(const lab::LabStatus& status);

}  // namespace ichor
