#include "lab/rpc/wire.h"

namespace ichor::lab {

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void append_number(std::string& out, std::uint32_t field, std::uint64_t value) {
  append_varint(out, std::uint64_t{field} << 3);
  append_varint(out, value);
}

void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes) {
  append_varint(out, std::uint64_t{field} << 3 | 2);
  append_varint(out, bytes.size());
  out += bytes;
}

FirstField first_field(std::string_view message) {
  FirstField result;
  if (message.empty() || message.front() != 0x0a) return result;
  std::uint64_t size = 0;
  std::size_t at = 1;
  for (int shift = 0; at < message.size() && shift < 63; shift += 7) {
    const auto byte = static_cast<unsigned char>(message[at++]);
    size |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      if (size > message.size() - at) return result;
      result.found = true;
      result.content = message.substr(at, size);
      result.rest = message.substr(at + size);
      return result;
    }
  }
  return result;
}

}  // namespace ichor::lab
