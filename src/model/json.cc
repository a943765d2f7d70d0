#include "model/json.h"

#include <fmt/format.h>

namespace ichor {

namespace {

// What one entry takes on a 64-bit machine with its blocks of memory rounded up.
constexpr std::size_t kValueBytes = 16;
constexpr std::size_t kContainerBytes = 64;
constexpr std::size_t kStringBytes = 48;
constexpr std::size_t kMemberBytes = 112;

/// Counts what a tree of the text would take. The text need not be JSON: whatever a parser accepts
/// has at least the brackets, colons and commas that are counted here.
class Scale {
 public:
  explicit Scale(JsonLimits limits) : limits_(limits) {}

  /// Empty if the text keeps within the limits.
  std::string weigh(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      switch (text[i]) {
        case '"': i = skip_string(text, i); break;
        case '{':
        case '[':
          weight_ += kContainerBytes + kValueBytes;
          if (++depth_ > limits_.depth_max) {
            return fmt::format("it is nested more than {} levels deep", limits_.depth_max);
          }
          break;
        case '}':
        case ']':
          if (depth_ > 0) --depth_;
          break;
        case ':': weight_ += kMemberBytes; break;
        case ',': weight_ += kValueBytes; break;
        default: break;
      }
      if (weight_ > limits_.weight_max) {
        return fmt::format("it would take more than {} MiB of memory", limits_.weight_max >> 20);
      }
    }
    return {};
  }

 private:
  /// The place of the closing quote, or the end.
  std::size_t skip_string(std::string_view text, std::size_t open) {
    std::size_t i = open + 1;
    while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
    weight_ += kStringBytes + (i - open);
    return i;
  }

  JsonLimits limits_;
  std::size_t weight_{0};
  std::size_t depth_{0};
};

}  // namespace

std::string json_excess(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.bytes_max) {
    return fmt::format("it has more than {} MiB", limits.bytes_max >> 20);
  }
  return Scale(limits).weigh(text);
}

Result<nlohmann::json> parse_json(std::string_view text, JsonLimits limits) {
  if (std::string excess = json_excess(text, limits); !excess.empty()) {
    return fail(Errc::invalid, std::move(excess));
  }
  nlohmann::json tree = nlohmann::json::parse(text, nullptr, false);
  if (tree.is_discarded()) return fail(Errc::invalid, "it is not JSON");
  return tree;
}

std::size_t json_weight(const nlohmann::json& tree) {
  std::size_t weight = kValueBytes;
  if (const auto* text = tree.get_ptr<const nlohmann::json::string_t*>()) {
    return weight + kStringBytes + text->capacity();
  }
  if (const auto* items = tree.get_ptr<const nlohmann::json::array_t*>()) {
    weight += kContainerBytes;
    for (const nlohmann::json& item : *items) weight += json_weight(item);
  } else if (const auto* members = tree.get_ptr<const nlohmann::json::object_t*>()) {
    weight += kContainerBytes;
    for (const auto& [key, value] : *members) {
      weight += kMemberBytes + key.capacity() + json_weight(value);
    }
  }
  return weight;
}

std::string text_in(const nlohmann::json& value, std::string_view key) {
  if (!value.is_object()) return {};
  const auto found = value.find(key);
  return found != value.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace ichor
