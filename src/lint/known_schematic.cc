#include "lint/known_schematic.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "secrets/digest.h"

namespace ichor {

namespace {

struct Extension {
  std::string_view name;
  int first, last;
};

constexpr Extension kExtensions[] = {
#include "lint/extensions.inc"
};

std::string hex_of(const Digest& digest) {
  std::string hex;
  for (const std::uint8_t byte : digest.bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

/// Tries schematics that begin with the same text and differ in their extensions. The texts are put
/// together by hand, because a hundred thousand of them are tried.
class Search {
 public:
  Search(const std::string& id, const Schematic& start) : id_(id) {
    text_ = start.text();
    const bool empty = text_ == "customization: {}\n";
    start_ = empty ? "customization:\n" : text_;
    start_ += "    systemExtensions:\n        officialExtensions:\n";
  }

  std::optional<std::string> run() {
    if (hex_of(pki::sha256(text_)) == id_) return text_;
    return extend(start_, 0, 0);
  }

 private:
  std::optional<std::string> extend(const std::string& text, std::size_t from, int depth) {
    constexpr int depth_max = 3;
    for (std::size_t i = from; i < std::size(kExtensions); ++i) {
      const std::string longer = fmt::format("{}            - {}\n", text, kExtensions[i].name);
      if (matches(longer)) return longer;
      if (depth + 1 == depth_max) continue;
      if (auto found = extend(longer, i + 1, depth + 1)) return found;
    }
    return std::nullopt;
  }

  /// Two digits tell most of them apart, and the rest is written out only if they fit.
  bool matches(const std::string& text) const {
    const Digest digest = pki::sha256(text);
    return id_.starts_with(fmt::format("{:02x}", digest.bytes[0])) && hex_of(digest) == id_;
  }

  const std::string& id_;
  std::string text_, start_;
};

}  // namespace

std::optional<Schematic> find_known_schematic(const std::string& id,
                                              const std::vector<std::string>& arguments) {
  const auto plain = Schematic::read("customization: {}", "schematic");
  if (!plain) return std::nullopt;
  for (const Schematic& start : {*plain, plain->with_kernel_arguments(arguments)}) {
    const auto text = Search(id, start).run();
    if (!text) continue;
    if (auto schematic = Schematic::read(*text, "schematic")) return *std::move(schematic);
  }
  return std::nullopt;
}

}  // namespace ichor
