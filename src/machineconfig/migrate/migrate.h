#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machineconfig/patch/deletion.h"
#include "model/finding.h"
#include "yaml/node.h"

namespace ichor {

/// Something to know about one place of a config that was migrated. A warning: part of the config
/// keeps its old form, or Talos 1.14 does something else with it. An error: a patch says something
/// that no patch for Talos 1.14 can say. `what` and `fix` never repeat a secret value.
struct MigrationNote {
  Severity severity{Severity::warning};
  yaml::Position at;
  std::string path;  // "machine.kubelet.extraMounts"
  std::string what;
  std::string fix;
  /// It is about how the file that is written must be used, and ichor itself minds it when it
  /// converts a patch for a node.
  bool about_file{false};
};

struct MigrateOptions {
  /// "v1.36.1": for images that the config leaves to Talos. Empty: the version of the kubelet.
  std::string kubernetes_version;
};

struct Migration {
  std::vector<yaml::Node> documents;
  std::vector<MigrationNote> notes;
  /// What the proof could not match: settings that the old config has and the new one does not, or
  /// the other way round. Empty: both mean the same, apart from the notes.
  std::vector<std::string> unproved;
  bool is_patch{false};
};

/// Converts a machine config or a strategic merge patch of Talos 1.8 to 1.13 to the typed documents
/// of Talos 1.14. A complete config (one with machine.type) means the same afterwards: what Talos
/// adds by itself to the old form is written out, and a section with a setting that has no typed
/// form keeps its old form as a whole, because Talos refuses both forms of one section together. A
/// patch gets exactly what it says.
///
/// The error names what cannot be read. A config that is migrated already comes back unchanged.
Result<Migration> migrate_config(std::string_view text, const std::string& file,
                                 const MigrateOptions& options = {});

/// The same of a part of a patch: a v1alpha1 document as read_document() gave it, which may be
/// null, and deletions from one.
Migration migrate_part(yaml::Node old, const std::vector<Deletion>& deletions);

}  // namespace ichor
