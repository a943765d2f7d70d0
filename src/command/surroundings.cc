#include "command/surroundings.h"

#include <fmt/format.h>

namespace ichor {

namespace {

bool is_sealed(const std::string& text) {
  return text.starts_with("sops:") || text.find("\nsops:") != std::string::npos;
}

}  // namespace

Surroundings surroundings_of(const std::string& profile, Desk& desk) {
  const std::string folder = profile.substr(0, profile.rfind('/') + 1);
  Surroundings result;
  result.variable = [&desk](const std::string& name) { return desk.environment(name); };
  result.file = [&desk, folder](const std::string& name) -> Result<std::optional<std::string>> {
    const std::string path = name.starts_with('/') ? name : folder + name;
    if (!desk.has_file(path)) return std::optional<std::string>();
    auto text = desk.read_input(path);
    if (!text) return tl::unexpected(std::move(text).error());
    if (is_sealed(*text)) {
      return fail(Errc::invalid, fmt::format("{} is encrypted with SOPS; decrypt it first", path));
    }
    return std::optional<std::string>(*std::move(text));
  };
  return result;
}

}  // namespace ichor
