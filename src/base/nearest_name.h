#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ichor {

/// Insertions, deletions, replacements and swaps of neighbours between two words. Case and the kind
/// of dash count for nothing.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name that was most probably meant: the one with the fewest edits, if they are few for
/// its length; empty otherwise. Of equals the first one wins.
std::string_view nearest_name(std::string_view written, const std::vector<std::string_view>& known);

/// `did you mean "gateway"?`, or the list of what is known.
std::string name_hint(std::string_view written, const std::vector<std::string_view>& known);

}  // namespace ichor
