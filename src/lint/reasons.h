#pragma once

#include <string_view>

namespace ichor {

/// What happens if a finding of this id stays as it is; empty for ids that say it themselves.
std::string_view reason_of(std::string_view finding_id);

}  // namespace ichor
