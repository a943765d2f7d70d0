#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor::yaml {
namespace {

bool same(const Node& one, const Node& other) {
  const bool alike = one.kind == other.kind && one.items.size() == other.items.size() &&
                     one.entries.size() == other.entries.size() &&
                     (!one.is_scalar() || one.text == other.text);
  if (!alike) return false;
  for (std::size_t i = 0; i < one.items.size(); ++i) {
    if (!same(one.items[i], other.items[i])) return false;
  }
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    const Entry& left = one.entries[i];
    const Entry& right = other.entries[i];
    if (left.key.text != right.key.text || !same(left.value, right.value)) return false;
  }
  return true;
}

}  // namespace
}  // namespace ichor::yaml

/// What is refused is explained; what is taken, written and read again is the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ichor;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = yaml::parse_or_explain(text, "f.yaml");
  if (!documents) {
    check(!documents.error().what.empty(), "an error says what is wrong");
    return 0;
  }
  for (const yaml::Document& document : *documents) {
    const std::string written = yaml::emit(document.root);
    const auto again = yaml::parse_single(written, "again.yaml");
    check(again.has_value(), again ? "" : again.error().message());
    check(yaml::same(document.root, again->root), "nothing changes on the way");
  }
  return 0;
}
