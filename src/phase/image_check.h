#pragma once

#include <optional>
#include <string>

#include "phase/preflight_checks.h"

namespace ichor {

/// "https://host/v2/name/manifests/tag"; nothing for a reference without a registry or tag.
std::optional<std::string> manifest_url(const std::string& image);

/// What the registry's status says about the image; no status: it did not answer.
Check judge_image(const std::string& image, std::optional<int> status);

}  // namespace ichor
