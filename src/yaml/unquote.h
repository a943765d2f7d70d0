#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ichor::yaml {

/// The content of a quoted scalar, given what stands between its quotes: escapes or doubled quotes
/// resolved, lines folded. nullopt: an unknown escape. libfyaml can do it too, but version 0.7
/// loses characters when an escaped backslash stands before an escaped line end (`\\` `\` newline),
/// and takes 35 bytes for each escape.
std::optional<std::string> unquote_double(std::string_view raw);
std::string unquote_single(std::string_view raw);

}  // namespace ichor::yaml
