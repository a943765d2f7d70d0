#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ichor {

/// The variables that the condition of a template asks for, each once: "loki_enabled" of
/// "if loki_enabled | default(false)". Names of filters, tests, attributes and named arguments are
/// none, and neither is what stands in quotes.
std::vector<std::string> condition_names(std::string_view condition);

}  // namespace ichor
