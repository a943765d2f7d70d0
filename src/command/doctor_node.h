#pragma once

#include "cli/request.h"
#include "doctor/examine_node.h"
#include "model/run_result.h"
#include "port/host.h"

namespace ichor {

/// Looks at the node that the request names: how it is, what of it is unmet and why, its services,
/// its last events and kernel messages. Exit 3 if something keeps it from its goal.
Exit examine_one(const DoctorRequest& request, const CommonOptions& common, Host& host);

}  // namespace ichor
