#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ichor {

/// The statements of schema.sql, which make a new journal's tables.
extern const std::string_view kSchemaSql;

/// The application_id of SQLite's header: "icho".
inline constexpr std::string_view kApplicationId = "1768122479";

/// The user_version of the tables that this ichor writes.
inline constexpr int kSchemaVersion = 1;

/// Tables and triggers in it.
inline constexpr std::size_t kSchemaObjects = 6;

/// A newer ichor wrote the file: it is left alone (L12).
Error newer_schema(const std::string& file, int version);

}  // namespace ichor
