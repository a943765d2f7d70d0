#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "yaml/document.h"

namespace ichor {

/// Reads TOML 1.0 as the tree that YAML is read into, so that one reader serves both. Strings are
/// quoted nodes, dates are strings. The one door to the TOML library.
tl::expected<yaml::Document, yaml::SyntaxError> parse_toml(std::string_view text,
                                                           const std::string& file_name);

}  // namespace ichor
