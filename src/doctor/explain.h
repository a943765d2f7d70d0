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

/// A step made out to a node: its name where NODE stands, unless it is empty. The profile's flag is
/// left out, because whoever shows a finding adds that of the profile at hand.
std::string fill_in(std::string_view step, std::string_view node);

/// The whole catalogue: docs/faults.md. tests hold the file to it.
std::string catalogue_markdown();

/// Breaks a text at spaces, each line with `indent` before it, at most 100 columns.
std::vector<std::string> wrapped(std::string_view text, std::string_view indent);

}  // namespace ichor
