#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ichor {

/// "a,b" as a, b; empty parts are dropped.
std::vector<std::string> split_list(std::string_view text);

/// A word that a shell takes as it is meant.
std::string shell_quoted(const std::string& word);

}  // namespace ichor
