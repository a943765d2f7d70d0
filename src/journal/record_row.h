#pragma once

#include <optional>
#include <string_view>

#include "journal/sqlite_db.h"
#include "model/journal_record.h"

namespace ichor {

/// Columns in the order in which bind_record() and decode_record() take them.
inline constexpr std::string_view kInsertRecord =
    "INSERT INTO record (seq, kind, run, node, call, ref, outcome, key, value, wall_ms, chain)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
inline constexpr std::string_view kSelectRecords =
    "SELECT seq, kind, run, node, call, ref, outcome, key, value, wall_ms, chain"
    " FROM record ORDER BY seq";

void bind_record(Statement& insert, const JournalRecord& record, std::uint32_t chain);

struct StoredRecord {
  JournalRecord record;
  std::int64_t chain{0};
};
/// The row under the cursor; nothing if it holds a kind, call or outcome that this program does not
/// know.
std::optional<StoredRecord> decode_record(const Statement& row);

}  // namespace ichor
