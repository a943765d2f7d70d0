#include "lint/read_material.h"

#include "lint/chart_versions.h"
#include "lint/read_patch.h"
#include "machineconfig/schematic_input.h"

namespace ichor {

LintMaterial read_lint_material(ProfileReading& reading, const PatchTexts& patches,
                                const std::string& folder, Files& files,
                                std::vector<Finding>& findings) {
  LintMaterial material;
  material.variables = reading.variables;
  for (const PatchText& patch : patches.patches) {
    LintPatch read = read_lint_patch(patch.file, patch.text.reveal(), findings);
    read.empty_because = patch.empty_because;
    read.empty_where = patch.empty_where;
    read.unknown = patch.unknown;
    material.patches.push_back(std::move(read));
  }
  read_chart_versions(reading, folder, files, material);
  SchematicInput schematic = read_schematic_input(reading, folder, findings, files);
  material.schematic = std::move(schematic.root);
  material.schematic_file = std::move(schematic.file);
  return material;
}

}  // namespace ichor
