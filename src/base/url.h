#pragma once

#include <string>
#include <string_view>

namespace ichor {

/// The host of "https://host:port/path"; the brackets of an IPv6 address are not part of it.
std::string host_of(std::string_view url);

}  // namespace ichor
