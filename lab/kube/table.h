#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace ichor::lab {

/// The form in which kubectl wants lists: columns and cells, made by the server.
nlohmann::json to_table(std::string_view plural, const std::vector<nlohmann::json>& objects,
                        const std::string& version, WallTime now, bool whole_objects);

/// "45s", "3m12s", "5h", "12d": how kubectl shows an age.
std::string human_age(std::int64_t seconds);

}  // namespace ichor::lab
