#pragma once

#include <string>
#include <string_view>

namespace ichor {

/// Text from elsewhere, safe to print: escape sequences (CSI, OSC, DCS and their kin) are gone
/// whole, other control characters and line ends are spaces, marks that reorder text are gone, and
/// bytes that are no UTF-8 are U+FFFD. The credentials of URLs are hidden. Hostnames, errors and
/// kernel messages come from machines that may be anybody's; a terminal obeys what it is sent.
std::string clean(std::string_view text);

/// Columns that clean text takes on a terminal: wide characters take two, combining ones none.
int cell_count(std::string_view text);

/// Exactly `width` columns: cut with "…" or filled with spaces. For clean text.
std::string fit(std::string_view text, int width);

/// At most `width` columns.
std::string cut(std::string_view text, int width);

}  // namespace ichor
