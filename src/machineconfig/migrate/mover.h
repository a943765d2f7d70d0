#pragma once

#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machineconfig/migrate/migrate.h"
#include "yaml/build.h"
#include "yaml/node.h"

namespace ichor::migrate {

using Keys = std::initializer_list<std::string_view>;

/// Edits of a mapping.
yaml::Node* find(yaml::Node& mapping, std::string_view key);
void put(yaml::Node& mapping, std::string_view key, yaml::Node value);
void erase(yaml::Node& mapping, std::string_view key);

/// "machine.kubelet.image".
std::string to_path(Keys keys);

/// The old document that sections are taken out of, and the typed ones that they are moved to.
class Mover {
 public:
  Mover(yaml::Node old, std::vector<yaml::Node> typed, bool patch, std::string kubernetes_version);

  bool patch() const { return patch_; }
  /// False for a patch: it may be for any node.
  bool control_plane() const { return control_plane_; }
  bool worker() const { return !patch_ && !control_plane_; }

  const yaml::Node* peek(Keys keys) const { return old_.find_path(keys); }
  bool has(Keys keys) const { return peek(keys) != nullptr; }
  /// The text of a scalar; empty if it is not set.
  std::string text(Keys keys) const;
  bool flag(Keys keys) const { return text(keys) == "true"; }
  /// Takes a value out of the old document.
  std::optional<yaml::Node> take(Keys keys);
  /// Puts a value into the old document, for what cannot be moved.
  void give_back(Keys keys, yaml::Node value);

  /// The typed document of that kind and name, which is added if it is missing.
  yaml::Node& document(std::string_view kind, std::string_view name = {});
  const yaml::Node* find_document(std::string_view kind, std::string_view name = {}) const;
  /// Sets a key of a typed document, unless the value is missing.
  void move(Keys from, yaml::Node& document, std::string_view key);
  /// A document that a patch deletes.
  void delete_document(std::string_view kind, std::string_view name = {});

  void warn(Keys keys, std::string what, std::string fix);
  /// A warning about the use of the file that is written.
  void warn_of_file(Keys keys, std::string what, std::string fix);
  /// A setting without a typed form: a warning for a config, which keeps the section as it is, and
  /// an error for a patch.
  void refuse(Keys keys, std::string what, std::string fix);

  /// "v1.36.1", for images that the old config leaves to Talos; empty if unknown.
  const std::string& kubernetes_version() const { return kubernetes_version_; }

  /// The documents in the order in which Talos writes them, the old one first if anything is left.
  std::vector<yaml::Node> documents() const;
  std::vector<MigrationNote>& notes() { return notes_; }

 private:
  void note(Severity severity, Keys keys, std::string what, std::string fix);

  yaml::Node old_;
  std::deque<yaml::Node> typed_;
  bool patch_;
  bool control_plane_{false};
  std::string kubernetes_version_;
  std::vector<MigrationNote> notes_;
};

/// Each moves a part of the old document.
void move_install(Mover& mover);
void move_node(Mover& mover);
void move_features(Mover& mover);
void move_network(Mover& mover);
void move_links(Mover& mover);
void move_system(Mover& mover);
void move_registries(Mover& mover);
void move_identity(Mover& mover);
void move_cluster(Mover& mover);
void move_api_server(Mover& mover);
void move_components(Mover& mover);
void move_manifests(Mover& mover);

/// What an old PEM value, which is base64, is in a typed document.
yaml::Node decoded_pem(const yaml::Node& base64);
/// {cert, key} of {crt, key}.
yaml::Node certificate_and_key(const yaml::Node& old);
/// The opposite of a flag.
yaml::Node inverted(const yaml::Node& flag);

}  // namespace ichor::migrate
