#pragma once

#include <string>
#include <vector>

#include "lint/material.h"
#include "port/files.h"
#include "profile/read_profile.h"

namespace ichor {

/// The charts of the Kubernetes phases with their versions, for lint: those that the profile lists
/// and those of its helmfiles. Helmfiles are read as text, because only helmfile itself renders
/// them; a release whose name or version is made by a template is left out. `folder` is that of
/// the profile, with a slash at its end.
void read_chart_versions(const ProfileReading& reading, const std::string& folder, Files& files,
                         LintMaterial& material);

/// The releases of a helmfile: `name:` and `version:` of a list entry, or `"name" "x"` and
/// `"version" "y"` of a template's dict.
std::vector<ChartVersion> versions_in_helmfile(const std::string& text, const std::string& file);

}  // namespace ichor
