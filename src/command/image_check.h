#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/desk.h"
#include "command/ground.h"
#include "model/cluster_profile.h"
#include "phase/preflight_checks.h"

namespace ichor {

/// Whether the registries have the installer images of the nodes, as far as they answer to this
/// machine without credentials. Nodes ask again themselves, perhaps through a mirror.
std::vector<Check> image_checks(const ClusterProfile& profile, const Ground& ground, Desk& desk);

/// "https://host/v2/name/manifests/tag"; nothing for a reference without a registry or tag.
std::optional<std::string> manifest_url(const std::string& image);

/// What the registry's status says about the image; no status: it did not answer.
Check judge_image(const std::string& image, std::optional<int> status);

}  // namespace ichor
