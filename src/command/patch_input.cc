#include "command/patch_input.h"

#include <fmt/format.h>

#include "profile/formats.h"

namespace ichor {

namespace {

bool is_file_name(const std::string& text) {
  return text.find_first_of("\n ") == std::string::npos && !text.starts_with('[') &&
         !text.starts_with('{') && !text.empty();
}

}  // namespace

OrEnd<std::vector<Patch>> read_patches(const std::vector<std::string>& given,
                                       const std::string& flag, int minor, Desk& desk) {
  std::vector<Patch> patches;
  for (std::size_t i = 0; i < given.size(); ++i) {
    std::string text = given[i];
    std::string name = fmt::format("{}[{}]", flag, i + 1);
    if (text.starts_with('@') || is_file_name(text)) {
      name = text.starts_with('@') ? text.substr(1) : text;
      auto content = desk.read_input(name);
      if (!content) return end_with(Exit::failed, content.error().message);
      text = std::move(*content);
    }
    auto patch = load_patch(text, name, minor);
    if (!patch) return end_with(Exit::failed, patch.error().message);
    patches.push_back(std::move(*patch));
  }
  return patches;
}

OrEnd<TalosVersion> read_talos_version(const std::string& text, TalosVersion otherwise) {
  if (text.empty()) return otherwise;
  if (const auto version = parse_version(text)) return *version;
  if (const auto version = parse_version(text, true)) return *version;
  return end_with(Exit::usage, fmt::format("\"{}\" is no version of Talos such as v1.12", text));
}

std::vector<Finding> as_warnings(std::vector<Finding> findings) {
  for (Finding& finding : findings) finding.severity = Severity::warning;
  return findings;
}

}  // namespace ichor
