#pragma once

#include <string>
#include <string_view>

namespace ichor {

/// A text for HTML, between tags or in a quoted attribute: cleaned, then escaped.
std::string html_text(std::string_view hostile);

/// A page that needs nothing else: no script, no remote file, light and dark, fit for paper. Title
/// and heading are texts, `body` is HTML.
std::string html_page(std::string_view title, std::string_view heading, std::string_view body);

}  // namespace ichor
