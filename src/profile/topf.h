#pragma once

#include <string>
#include <string_view>

#include "profile/read_profile.h"
#include "profile/reader_inputs.h"

namespace ichor {

/// Reads topf.yaml. Its folders all/, control-plane/, worker/ and node/HOST/ are the ones that a
/// profile's patches_dir has. Providers are programs of their own and are refused.
ProfileReading read_topf(std::string_view text, const std::string& file_name,
                         const ReaderInputs& inputs);

}  // namespace ichor
