#include "journal/schema.h"

namespace ichor {

namespace {

/// schema.sql begins with `--R"sql(` and ends with `--)sql"_sql`: comments in SQL, and in C++ a raw
/// string under an operator that does nothing. So the file needs no generator and stays plain SQL.
struct Sql {
  std::string_view text;
  constexpr std::string_view operator--() const { return text; }
};

constexpr Sql operator""_sql(const char* text, std::size_t size) { return {{text, size}}; }

}  // namespace

// clang-format off
const std::string_view kSchemaSql =
#include "journal/schema.sql"
;  // clang-format on

Error newer_schema(const std::string& file, int version) {
  return {Errc::unsafe,
          file + ": the journal has schema version " + std::to_string(version) +
              ", newer than the " + std::to_string(kSchemaVersion) +
              " that this ichor knows; use the newer ichor that wrote it",
          "L12"};
}

}  // namespace ichor
