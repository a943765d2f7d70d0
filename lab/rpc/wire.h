#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ichor::lab {

/// Protobuf by hand, for what has no generated code: fields of a message are simply put one behind
/// the other.
void append_varint(std::string& out, std::uint64_t value);
void append_number(std::string& out, std::uint32_t field, std::uint64_t value);
void append_bytes(std::string& out, std::uint32_t field, std::string_view bytes);

/// Whether the bytes are fields one behind the other, whatever message they are of.
bool is_message(std::string_view bytes);

/// The content of a message that begins with field 1 as bytes, and whether it was one.
struct FirstField {
  bool found{false};
  std::string_view content;
  std::string_view rest;
};
FirstField first_field(std::string_view message);

/// Appends what is in the fields of bytes with this number of a message, or of several messages one
/// behind the other. False if that is not what it is.
bool join_bytes(std::string_view messages, std::uint32_t field, std::string& out);

}  // namespace ichor::lab
