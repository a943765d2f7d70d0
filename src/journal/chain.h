#pragma once

#include <cstdint>
#include <string_view>

#include "model/journal_record.h"

namespace ichor {

/// CRC-32C (Castagnoli) of `bytes`, continuing from `crc`; zero starts a new one.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc = 0);

/// The chain value of the row after one whose chain value is `previous`. It covers every field of
/// the record in an encoding in which no two records look alike, so a row that was changed,
/// dropped, moved or taken from another journal breaks the chain. It finds accidents, not forgers.
std::uint32_t chain_after(std::uint32_t previous, const JournalRecord& record);

/// What the chain of a journal starts from, before row 1.
std::uint32_t chain_start(std::string_view journal_id);

}  // namespace ichor
