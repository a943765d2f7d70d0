#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "profile/toml.h"

/// What is refused has a place and a reason; what is taken can be walked to its end.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = ichor::parse_toml(text, "cluster.toml");
  if (!document) {
    ichor::check(!document.error().message().empty(), "a refusal says why");
    return 0;
  }
  const auto walk = [](const auto& self, const ichor::yaml::Node& node) -> std::size_t {
    std::size_t count = 1;
    for (const auto& item : node.items) count += self(self, item);
    for (const auto& entry : node.entries) count += self(self, entry.value);
    return count;
  };
  ichor::check(walk(walk, document->root) > 0, "a document has a root");
  return 0;
}
