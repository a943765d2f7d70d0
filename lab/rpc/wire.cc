#include "lab/rpc/wire.h"

#include <vector>

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

namespace {

/// Takes a number from the front; false if there is none.
bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; !bytes.empty() && shift < 70; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool take_bytes(std::string_view& bytes, std::uint64_t count) {
  if (count > bytes.size()) return false;
  bytes.remove_prefix(count);
  return true;
}

/// Takes what stands behind a tag; the groups that are open are on a stack.
bool take_field(std::string_view& bytes, std::uint64_t tag, std::vector<std::uint64_t>& groups) {
  constexpr std::size_t kGroupsMax = 100;
  const std::uint64_t field = tag >> 3;
  std::uint64_t number = 0;
  if (field == 0 || field >= 1u << 29) return false;
  switch (tag & 7) {
    case 0: return take_varint(bytes, number);
    case 1: return take_bytes(bytes, 8);
    case 2: return take_varint(bytes, number) && take_bytes(bytes, number);
    case 3: groups.push_back(field); return groups.size() <= kGroupsMax;
    case 4:
      if (groups.empty() || groups.back() != field) return false;
      groups.pop_back();
      return true;
    case 5: return take_bytes(bytes, 4);
    default: return false;
  }
}

}  // namespace

bool is_message(std::string_view bytes) {
  std::vector<std::uint64_t> groups;
  while (!bytes.empty()) {
    std::uint64_t tag = 0;
    if (!take_varint(bytes, tag) || !take_field(bytes, tag, groups)) return false;
  }
  return groups.empty();
}

bool join_bytes(std::string_view messages, std::uint32_t field, std::string& out) {
  if (!is_message(messages)) return false;
  const std::uint64_t wanted = std::uint64_t{field} << 3 | 2;
  std::vector<std::uint64_t> groups;
  while (!messages.empty()) {
    std::uint64_t tag = 0;
    std::uint64_t size = 0;
    if (!take_varint(messages, tag)) return false;
    if (tag != wanted) {
      if (!take_field(messages, tag, groups)) return false;
      continue;
    }
    if (!take_varint(messages, size) || size > messages.size()) return false;
    out += messages.substr(0, size);
    messages.remove_prefix(size);
  }
  return true;
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
