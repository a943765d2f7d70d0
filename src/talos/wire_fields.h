#pragma once

#include <cstddef>
#include <string_view>

namespace ichor {

/// How many fields a message of protobuf has, with those of the messages in it. Each takes memory
/// once it is decoded, up to fifty times its two bytes on the wire, so they are counted before.
/// Bytes that look like a message are counted as one; what is no message has none.
std::size_t wire_fields(std::string_view message);

}  // namespace ichor
