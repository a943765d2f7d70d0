#pragma once

#include <string>
#include <string_view>

#include "profile/read_profile.h"
#include "profile/reader_inputs.h"

namespace ichor {

/// Reads talhelper's talconfig.yaml with the files that it names and with talenv.yaml beside it.
/// The recipe makes the configs that `talhelper genconfig` makes; docs/talhelper.md lists where
/// they differ and why. The profile holds what ichor itself wants to know: names, addresses, disks,
/// versions. Keys are strict, and a variable that is not set is an error.
ProfileReading read_talconfig(std::string_view text, const std::string& file_name,
                              const ReaderInputs& inputs);

}  // namespace ichor
