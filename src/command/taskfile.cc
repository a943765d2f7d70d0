#include "command/taskfile.h"

namespace ichor {

namespace {

/// A text of a Go template within a single-quoted text of YAML.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string taskfile_beside(std::string_view profile) {
  std::string text(shipped_taskfile());
  const std::string_view name = profile.substr(profile.rfind('/') + 1);
  if (name == "ichor.yaml") return text;
  constexpr std::string_view kDefault = "PROFILE | default ";
  const std::size_t at = text.find(kDefault) + kDefault.size();
  return text.replace(at, std::string_view("\"\"").size(), quoted(name));
}

}  // namespace ichor
