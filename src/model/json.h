#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ichor {

/// Bounds on JSON that comes from elsewhere. A tree of it takes far more memory than its text, and
/// copying, comparing and writing it go as deep as it is nested.
struct JsonLimits {
  std::size_t bytes_max{8u << 20};
  std::size_t depth_max{64};
  std::size_t weight_max{96u << 20};  // see json_weight()
};

/// The limit that a tree of the text would pass, as a sentence; empty if it passes none.
std::string json_excess(std::string_view text, JsonLimits limits = {});

/// A tree of a text that keeps within the limits, which are checked before anything is built.
/// Errc::invalid if it does not, and the error names the limit, or if it is not JSON.
Result<nlohmann::json> parse_json(std::string_view text, JsonLimits limits = {});

/// About how many bytes of memory a tree takes, never fewer than it does.
std::size_t json_weight(const nlohmann::json& tree);

/// The text at a key; empty if the value is no object, or has no text there. Unlike the library's
/// own value() it takes any tree.
std::string text_in(const nlohmann::json& value, std::string_view key);

}  // namespace ichor
