#include "journal/chain.h"

#include <array>
#include <string>

namespace ichor {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // Castagnoli's, bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
    table[byte] = rest;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

void put(std::string& out, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(number >> shift));
}

/// The length comes first: "ab" + "c" is not "a" + "bc".
void put(std::string& out, std::string_view text) {
  put(out, static_cast<std::uint64_t>(text.size()));
  out.append(text);
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t crc) {
  crc = ~crc;
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xff] ^ (crc >> 8);
  }
  return ~crc;
}

std::uint32_t chain_after(std::uint32_t previous, const JournalRecord& record) {
  std::string row;
  row.reserve(160 + record.value.size());
  put(row, std::uint64_t{previous});
  put(row, record.seq);
  put(row, static_cast<std::uint64_t>(record.kind));
  put(row, record.run.value());
  put(row, record.node.value());
  put(row, name_of(record.call));
  put(row, record.ref);
  put(row, name_of(record.outcome));
  put(row, record.key);
  put(row, record.value);
  put(row, static_cast<std::uint64_t>(record.wall_ms));
  return crc32c(row);
}

std::uint32_t chain_start(std::string_view journal_id) { return crc32c(journal_id); }

}  // namespace ichor
