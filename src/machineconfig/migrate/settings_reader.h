#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "machineconfig/migrate/settings.h"

namespace ichor::migrate {

/// Reads documents of both styles into settings.
class Reader {
 public:
  explicit Reader(const SettingsOf& of) : of_(of) {}

  Settings read(const std::vector<yaml::Node>& documents);

 private:
  void set(std::string name, std::string value) { settings_[std::move(name)] = std::move(value); }

  /// All scalars below a node, by their paths.
  void flatten(const yaml::Node& node, const std::string& path);
  /// Keeps a scalar under the name that it has in both styles.
  void keep(const std::string& path, const std::string& text);

  // The old style: each takes out what has another shape in typed documents; the rest is flat.
  void read_old(yaml::Node document);
  void read_old_machine(yaml::Node& machine);
  void read_old_network(yaml::Node& network);
  void read_old_features(yaml::Node& features);
  void read_old_registries(const yaml::Node& registries);
  void read_old_files(const yaml::Node& files);
  void read_old_cluster(yaml::Node& cluster);
  void read_old_worker(yaml::Node& cluster);
  void read_old_api_server(yaml::Node& server);
  void read_old_interface(const yaml::Node& device);
  void read_old_stack(const yaml::Node& device, const std::string& link);
  void read_addressing(const yaml::Node& device, const std::string& link);

  // Typed documents: each says whether it knows the kind.
  void read_typed(const yaml::Node& document);
  bool read_typed_link(const std::string& kind, const std::string& name,
                       const yaml::Node& document);
  bool read_typed_kubernetes(const std::string& kind, const std::string& name,
                             const yaml::Node& document);
  bool read_typed_machine(const std::string& kind, const std::string& name,
                          const yaml::Node& document);
  bool read_typed_registry(const std::string& kind, const std::string& name,
                           const yaml::Node& document);
  void read_typed_addressing(const std::string& name, const yaml::Node& document);
  void read_typed_encryption(const yaml::Node& document);
  void read_authentication(const yaml::Node& configuration);

  void add_what_talos_adds();
  void add_control_plane();

  bool worker() const { return !of_.patch && !of_.control_plane; }
  /// The name of a link, or the expression behind an alias.
  std::string link_name(const std::string& name) const;

  SettingsOf of_;
  Settings settings_;
  std::map<std::string, std::string> aliases_;
  std::set<std::string> kinds_;  // of the typed documents
  bool kubernetes_{false};
};

/// The text of a scalar; empty if it is not set.
std::string text_of(const yaml::Node& node, std::string_view key);
/// Takes a value out of a mapping.
yaml::Node take_from(yaml::Node& mapping, std::string_view key);

}  // namespace ichor::migrate
