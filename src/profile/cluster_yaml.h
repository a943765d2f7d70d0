#pragma once

#include <string>
#include <string_view>

#include "profile/read_profile.h"
#include "profile/reader_inputs.h"

namespace ichor {

/// Reads cluster-template's older cluster.yaml, with the nodes.yaml that lies beside it. All its
/// keys are variables of the templates, also those that only the user knows.
ProfileReading read_cluster_yaml(std::string_view text, const std::string& file_name,
                                 const ReaderInputs& inputs);

}  // namespace ichor
