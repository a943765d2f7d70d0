#include <cstddef>
#include <cstdint>
#include <string_view>

#include "machineconfig/cel/cel.h"

/// The first byte chooses place and version; the rest is the expression.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto place = static_cast<ichor::cel::Place>(data[0] % 5);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  ichor::cel::check_expression(text, place, (data[0] & 0x80) != 0 ? 12 : 13);
  return 0;
}
