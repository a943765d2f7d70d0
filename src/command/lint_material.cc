#include "command/lint_material.h"

#include <fmt/format.h>

#include "lint/read_patch.h"
#include "lint/reporter.h"
#include "yaml/document.h"

namespace ichor {

namespace {

std::string below(const std::string& folder, const std::string& path) {
  return path.starts_with('/') ? path : folder + path;
}

/// All files below a folder, at most three folders deep: nothing that is looked for lies deeper.
void list_below(const std::string& root, const std::string& path, int depth, Desk& desk,
                std::vector<std::string>& files) {
  constexpr int depth_max = 3;
  const auto names = desk.list_folder(path.empty() ? root : root + "/" + path);
  if (!names) {
    files.push_back(path);
    return;
  }
  if (depth > depth_max) return;
  for (const std::string& name : *names) {
    list_below(root, path.empty() ? name : path + "/" + name, depth + 1, desk, files);
  }
}

void read_patch_files(const ProfileReading& reading, const std::string& folder, Desk& desk,
                      LintMaterial& material, std::vector<Finding>& findings) {
  Reporter report(findings);
  const std::string& patches_dir = reading.profile.talos.patches_dir;
  std::vector<std::string> files;
  if (!patches_dir.empty()) {
    const std::string root = below(folder, patches_dir);
    if (desk.list_folder(root)) {
      list_below(root, "", 0, desk, files);
    } else {
      report.error("patch.missing", reading.source.where("talos.patches_dir"),
                   fmt::format("{} is no folder that can be read", root),
                   "create it, or remove talos.patches_dir");
    }
  }
  for (PatchFile& file : list_patches(reading.profile, files, reading.source, findings)) {
    if (!file.text.empty()) {
      material.patches.push_back(read_lint_patch(file, file.text, findings));
      continue;
    }
    file.path = below(folder, file.path);
    if (file.is_template) continue;
    const auto text = desk.read_input(file.path);
    if (!text) {
      report.error("patch.missing", reading.source.where("nodes"), text.error().message,
                   "correct the name of the patch, or remove it", file.scope.node);
      continue;
    }
    if (text->find("\nsops:") != std::string::npos) continue;
    material.patches.push_back(read_lint_patch(file, *text, findings));
  }
}

void read_schematic(const ProfileReading& reading, const std::string& folder, Desk& desk,
                    LintMaterial& material, std::vector<Finding>& findings) {
  const std::string& name = reading.profile.talos.schematic_file;
  if (name.empty()) return;
  Reporter report(findings);
  material.schematic_file = below(folder, name);
  const std::string where = reading.source.where("talos.factory.schematic");
  const auto text = desk.read_input(material.schematic_file);
  if (!text) {
    return report.error("versions.schematic", where, text.error().message,
                        "correct talos.factory.schematic");
  }
  auto document = yaml::parse_single(*text, material.schematic_file);
  if (!document) {
    return report.error("versions.schematic", document.error().message(),
                        "the schematic is no YAML", "write it as the Image Factory shows it");
  }
  material.schematic = std::move(document->root);
}

}  // namespace

LintMaterial read_lint_material(const ProfileReading& reading, const std::string& folder,
                                Desk& desk, std::vector<Finding>& findings) {
  LintMaterial material;
  material.variables = reading.variables;
  read_patch_files(reading, folder, desk, material, findings);
  read_schematic(reading, folder, desk, material, findings);
  return material;
}

}  // namespace ichor
