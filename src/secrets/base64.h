#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ichor::pki {

/// RFC 4648 with padding, without line ends.
std::string base64(std::string_view bytes);
/// The alphabet with - and _ that is safe in URLs, also padded.
std::string base64_url(std::string_view bytes);

/// The standard alphabet, padded, nothing else in it; nullopt otherwise.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace ichor::pki
