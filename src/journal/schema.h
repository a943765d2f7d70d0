#pragma once

#include <string_view>

namespace ichor {

/// The statements of schema.sql, which make a new journal's tables.
extern const std::string_view kSchemaSql;

/// The application_id of SQLite's header: "icho".
inline constexpr std::string_view kApplicationId = "1768122479";

}  // namespace ichor
