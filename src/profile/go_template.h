#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ichor {

/// Renders the part of Go's templates that file names and image references are written in: {{
/// .Field
/// }} with trimming dashes, {{ if .Field }}, {{ else }} and {{ end }}. A field that is empty or
/// "false" is false. Everything else is an error that says what.
tl::expected<std::string, std::string> render_go_template(
    std::string_view text, const std::map<std::string, std::string>& fields);

}  // namespace ichor
