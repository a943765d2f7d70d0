#include "lint/settings.h"

#include "yaml/document.h"

namespace ichor {

std::string Setting::where(const yaml::Node& below) const {
  return yaml::to_text(patch->file, below.at);
}

bool is_v1alpha1(const yaml::Node& document) {
  return document.is_mapping() && document.find("kind") == nullptr;
}

NodeSettings::NodeSettings(const LintInput& input, const NodePlan& node) {
  for (const LintPatch& patch : input.material.patches) {
    if (patch.scope.covers(node)) patches_.push_back(&patch);
  }
}

std::vector<Setting> NodeSettings::all(Path path) const {
  std::vector<Setting> found;
  for (const LintPatch* patch : patches_) {
    for (const yaml::Node& document : patch->documents) {
      if (!is_v1alpha1(document)) continue;
      if (const yaml::Node* value = document.find_path(path)) found.push_back({value, patch});
    }
  }
  return found;
}

Setting NodeSettings::last(Path path) const {
  const std::vector<Setting> found = all(path);
  return found.empty() ? Setting{} : found.back();
}

std::vector<Setting> NodeSettings::documents(std::string_view kind) const {
  std::vector<Setting> found;
  for (const LintPatch* patch : patches_) {
    for (const yaml::Node& document : patch->documents) {
      const yaml::Node* written = document.find("kind");
      if (written != nullptr && written->text == kind) found.push_back({&document, patch});
    }
  }
  return found;
}

}  // namespace ichor
