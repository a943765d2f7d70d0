#pragma once

#include "model/finding.h"
#include "model/run_result.h"
#include "port/provider.h"

namespace ichor {

/// What an error of the provider means for the operator: what happened, and the next command.
Finding finding_of(const ProviderError& error, const NodeName& node);
Exit exit_of(const ProviderError& error);

}  // namespace ichor
