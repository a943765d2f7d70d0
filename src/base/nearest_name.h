#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ichor {

/// The known name that was most probably meant: the one with the fewest edits, if they are few for
/// its length; empty otherwise. Of equals the first one wins.
std::string_view nearest_name(std::string_view written, const std::vector<std::string_view>& known);

/// `did you mean "gateway"?`, or the list of what is known.
std::string name_hint(std::string_view written, const std::vector<std::string_view>& known);

}  // namespace ichor
