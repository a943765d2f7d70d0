#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/json.h"

/// What is taken keeps within its limits, can be copied and written, and reads the same again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr ichor::JsonLimits kLimits{
      .bytes_max = 64u << 10, .depth_max = 32, .weight_max = 1u << 20};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tree = ichor::parse_json(text, kLimits);
  if (!tree) {
    ichor::check(!tree.error().message.empty(), "a refusal says why");
    return 0;
  }
  ichor::check(ichor::json_weight(*tree) <= 2 * kLimits.weight_max, "the weight is bounded");
  const nlohmann::json copy = *tree;
  const auto again = ichor::parse_json(copy.dump(), {});
  ichor::check(again.has_value(), "what was written can be read");
  ichor::text_in(copy, "kind");
  return 0;
}
