#include "machineconfig/schematic_input.h"

#include "machineconfig/schematic.h"
#include "model/reporter.h"
#include "profile/profile_layout.h"
#include "profile/repository.h"
#include "yaml/document.h"

namespace ichor {

std::string schematic_path(const ClusterProfile& profile, const std::string& folder) {
  const std::string& name = profile.talos.schematic_file;
  return name.empty() ? name : at_profile(folder, name);
}

SchematicInput read_schematic_input(ProfileReading& reading, const std::string& folder,
                                    std::vector<Finding>& findings, Files& files) {
  SchematicInput input;
  input.file = schematic_path(reading.profile, folder);
  if (input.file.empty()) return input;
  const auto refuse = [&](const std::string& what) {
    Reporter(findings).error("versions.schematic", reading.source.where("talos.factory.schematic"),
                             what, "write it as the Image Factory shows it");
    return input;
  };
  const auto text = Repository(folder, files).read(input.file);
  if (!text) return refuse(text.error().message);
  const auto schematic = Schematic::read(*text, input.file);
  if (!schematic) return refuse(schematic.error().message);
  reading.profile.talos.schematic_id = schematic->id();
  // Not its canonical form: rules point to what was written.
  auto documents = yaml::parse_or_explain(*text, input.file);
  if (documents && !documents->empty()) input.root = std::move(documents->front().root);
  return input;
}

std::optional<std::vector<std::string>> wanted_extensions(const ClusterProfile& profile,
                                                          const std::string& folder, Files& files) {
  const std::string file = schematic_path(profile, folder);
  if (file.empty()) return std::nullopt;
  const auto text = files.read_input(file);
  if (!text) return std::nullopt;
  const auto schematic = Schematic::read(*text, file);
  if (!schematic) return std::nullopt;
  std::vector<std::string> wanted;
  const yaml::Node* list =
      schematic->canonical().find_path({"customization", "systemExtensions", "officialExtensions"});
  if (list == nullptr) return wanted;
  for (const yaml::Node& item : list->items) {
    wanted.push_back(item.text.substr(item.text.rfind('/') + 1));
  }
  return wanted;
}

}  // namespace ichor
