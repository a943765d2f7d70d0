#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ichor {

/// Text that came from a peer, fit to be shown: valid UTF-8 of at most `bytes_max` bytes, without
/// control characters, so that it can neither move the cursor nor start an escape sequence, and
/// without marks that turn the direction of text or cannot be seen. Line breaks and tabs become
/// spaces; what is not UTF-8 becomes "?".
std::string clean_text(std::string_view hostile, std::size_t bytes_max = 4096);

/// Whether `bytes` is UTF-8 as RFC 3629 has it.
bool is_utf8(std::string_view bytes);

}  // namespace ichor
