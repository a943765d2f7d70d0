#pragma once

#include <string>
#include <string_view>

#include "profile/read_profile.h"
#include "profile/reader_inputs.h"

namespace ichor {

/// Reads cluster-template's cluster.toml (since May 2026). What is about Kubernetes alone is
/// checked for its keys and left.
ProfileReading read_cluster_toml(std::string_view text, const std::string& file_name,
                                 const ReaderInputs& inputs);

}  // namespace ichor
