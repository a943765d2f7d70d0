#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profile/read_profile.h"
#include "profile/reader_inputs.h"

namespace ichor {

enum class ProfileFormat { ichor, talconfig, cluster_toml, cluster_yaml, topf };

/// "talhelper's talconfig.yaml": for messages.
std::string_view name_of(ProfileFormat format);

/// Which format a text has: by the name of its file where that is usual (ichor.yaml,
/// talconfig.yaml, cluster.toml, cluster.yaml, topf.yaml), else by keys that only one of them has.
/// nullopt: none that we know.
std::optional<ProfileFormat> detect_format(std::string_view text, const std::string& file_name);

/// Reads a profile in whichever format it has. What is no format that we know is a finding that
/// names those that are.
ProfileReading read_any_profile(std::string_view text, const std::string& file_name,
                                const ReaderInputs& inputs);

}  // namespace ichor
