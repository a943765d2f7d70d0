#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ichor {

// A terminal obeys what it is sent, and a reader believes what it shows. Names, errors and logs
// come from machines, repositories and programs that may be anybody's, so nothing of theirs is
// shown before it went through here.

/// One line that is fit to be shown: valid UTF-8 of at most `bytes_max` bytes. Escape sequences
/// (CSI, OSC, DCS and the like) are gone as a whole, and so are other control characters and all
/// characters that misleads() names. Line breaks and tabs become spaces; what is not UTF-8 becomes
/// "?".
std::string clean_text(std::string_view hostile, std::size_t bytes_max = 4096);

/// The same for a text of several lines, of any size: line breaks and tabs stay, a carriage return
/// before a line break goes.
std::string clean_lines(std::string_view hostile);

/// Whether a character turns the direction of the text around it, breaks lines in secret, or
/// cannot be seen (zero-width and tag characters, fillers): with it a line reads as another one.
bool misleads(char32_t code);

/// Whether clean_lines() would leave the text as it is.
bool is_clean(std::string_view text);

}  // namespace ichor
