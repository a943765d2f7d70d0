#include "phase/image_check.h"

#include <fmt/format.h>

namespace ichor {

std::optional<std::string> manifest_url(const std::string& image) {
  const std::size_t slash = image.find('/');
  const std::size_t colon = image.rfind(':');
  const bool has_both = slash != std::string::npos && colon != std::string::npos && colon > slash;
  // A registry has a dot or a port in its name; a digest has no tag to ask for.
  const std::string host = image.substr(0, slash);
  if (!has_both || host.find_first_of(".:") == std::string::npos ||
      image.find('@') != std::string::npos) {
    return std::nullopt;
  }
  return fmt::format("https://{}/v2/{}/manifests/{}", host,
                     image.substr(slash + 1, colon - slash - 1), image.substr(colon + 1));
}

Check judge_image(const std::string& image, std::optional<int> status) {
  constexpr int kOk = 200;
  constexpr int kNotFound = 404;
  if (!status) {
    return {"image", Verdict::skipped, fmt::format("{}: its registry does not answer here", image)};
  }
  if (*status == kOk) return {"image", Verdict::passed, image};
  if (*status != kNotFound) {
    return {"image", Verdict::skipped,
            fmt::format("{}: its registry answers {} without credentials", image, *status)};
  }
  const std::string what = fmt::format("its registry does not have {}", image);
  return {"image", Verdict::failed, what,
          Finding{Severity::error,
                  "D2",
                  {},
                  "preflight",
                  what,
                  "correct talos.version, the schematic or talos.installer_image"}};
}

}  // namespace ichor
