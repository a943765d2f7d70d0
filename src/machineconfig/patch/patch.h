#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "machineconfig/patch/deletion.h"
#include "machineconfig/patch/json_patch.h"
#include "machineconfig/typed_config.h"
#include "model/finding.h"

namespace ichor {

/// A strategic merge patch: deletions and documents in the order in which they take effect.
using StrategicPatch = std::vector<std::variant<Deletion, ConfigDocument>>;

/// A patch of a machine config. `name` is its file, or what stands for it in messages.
struct Patch {
  std::string name;
  std::variant<StrategicPatch, JsonPatch> content;
  /// By step of a strategic patch: it was made of a section in the old form, as typed_patch() does.
  /// Like that section, it does nothing where there is nothing to delete, nothing on a worker if it
  /// is for control planes, and it keeps a selector that it does not name.
  std::vector<bool> converted{};
};

/// Reads a patch and finds out what it is, as Talos does: strategic if it reads as a config, else
/// JSON6902 if it is a list of steps or empty. The error lists every problem with its place.
Result<Patch> load_patch(std::string_view text, const std::string& name,
                         int minor = schema::Schema::kUsualMinor);

/// The same of documents that were parsed; never a JSON6902 patch.
Result<Patch> load_patch(const std::vector<yaml::Node>& documents, const std::string& name,
                         int minor);

/// What is patched: documents that are read already, or those of a file as they stand there.
using PatchBase = std::variant<ConfigDocuments, std::vector<yaml::Node>>;

struct PatchedConfig {
  std::vector<yaml::Node> documents;
  /// Patches that change nothing, and those that touch the cluster's secrets.
  std::vector<Finding> findings;
};

/// Applies patches one after the other. A strategic patch needs a base that the schema knows; a
/// JSON6902 patch needs one of a single document, and the error prints a strategic patch that does
/// the same. `file` names the base in messages.
Result<PatchedConfig> apply_patches(PatchBase base, const std::string& file,
                                    const std::vector<Patch>& patches,
                                    int minor = schema::Schema::kUsualMinor);

/// The places at which a patch sets or deletes a CA, a key or a token of the cluster, as
/// "machine.token".
std::vector<std::string> touches_secrets(const Patch& patch);

}  // namespace ichor
