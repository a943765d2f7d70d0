#pragma once

#include <string>
#include <string_view>

namespace ichor {

/// Text from elsewhere, safe to print on one line: clean_text() of any length, with the credentials
/// of URLs hidden.
std::string clean(std::string_view text);

/// Columns that clean text takes on a terminal: wide characters take two, combining ones none.
int cell_count(std::string_view text);

/// Exactly `width` columns: cut with "…" or filled with spaces. For clean text.
std::string fit(std::string_view text, int width);

/// At most `width` columns.
std::string cut(std::string_view text, int width);

}  // namespace ichor
