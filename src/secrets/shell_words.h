#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ichor::secrets {

/// A command line as words, by the quoting rules of a shell: blanks between words, "…", '…', a
/// backslash before a character, # for a comment. Nothing is expanded. nullopt: a quote is open.
std::optional<std::vector<std::string>> shell_words(std::string_view text);

}  // namespace ichor::secrets
