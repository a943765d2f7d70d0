#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/fault.h"

namespace ichor {

/// A fault or an invariant for people: headings and wrapped lines.
std::vector<std::string> explain(const Fault& fault);
std::vector<std::string> explain(const Invariant& invariant);

/// The same for programs.
nlohmann::ordered_json row_of(const Fault& fault);

/// `text` with `node` and `profile` in the places that say NODE and PROFILE; an empty one is left.
std::string fill_in(std::string_view text, std::string_view node, std::string_view profile);

/// The whole catalogue: docs/faults.md. tests hold the file to it.
std::string catalogue_markdown();

/// Breaks a text at spaces, each line with `indent` before it, at most 100 columns.
std::vector<std::string> wrapped(std::string_view text, std::string_view indent);

}  // namespace ichor
