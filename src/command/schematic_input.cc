#include "command/schematic_input.h"

#include "command/profile_layout.h"
#include "command/repository.h"
#include "lint/reporter.h"
#include "machineconfig/schematic.h"
#include "yaml/document.h"

namespace ichor {

std::string schematic_path(const ClusterProfile& profile, const std::string& folder) {
  const std::string& name = profile.talos.schematic_file;
  return name.empty() ? name : at_profile(folder, name);
}

SchematicInput read_schematic_input(ProfileReading& reading, const std::string& folder,
                                    std::vector<Finding>& findings, Desk& desk) {
  SchematicInput input;
  input.file = schematic_path(reading.profile, folder);
  if (input.file.empty()) return input;
  const auto refuse = [&](const std::string& what) {
    Reporter(findings).error("versions.schematic", reading.source.where("talos.factory.schematic"),
                             what, "write it as the Image Factory shows it");
    return input;
  };
  const auto text = Repository(folder, desk).read(input.file);
  if (!text) return refuse(text.error().message);
  const auto schematic = Schematic::read(*text, input.file);
  if (!schematic) return refuse(schematic.error().message);
  reading.profile.talos.schematic_id = schematic->id();
  // Not its canonical form: rules point to what was written.
  auto documents = yaml::parse_or_explain(*text, input.file);
  if (documents && !documents->empty()) input.root = std::move(documents->front().root);
  return input;
}

}  // namespace ichor
