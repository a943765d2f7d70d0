#include <cstddef>
#include <cstdint>
#include <string_view>

#include "machineconfig/validate/validate.h"

/// The first byte chooses mode, strictness and version; the rest is the config.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  ichor::ValidateOptions options;
  options.mode = static_cast<ichor::RuntimeMode>(data[0] % 3);
  options.strict = (data[0] & 0x10) != 0;
  options.minor = 12 + (data[0] >> 5) % 3;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  ichor::validate_config(text, options);
  return 0;
}
