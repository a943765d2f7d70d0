#pragma once

#include <set>
#include <string>
#include <vector>

#include "machineconfig/migrate/migrate.h"
#include "machineconfig/patch/patch.h"

namespace ichor {

/// The kinds of a config's typed documents.
using Kinds = std::set<std::string, std::less<>>;
Kinds kinds_of(const std::vector<yaml::Node>& documents);
Kinds kinds_of(const ConfigDocuments& documents);

/// A section of the v1alpha1 document that a typed document of the config says.
struct OldSection {
  std::string path;  // "machine.kubelet"
  std::string kind;
  yaml::Position at;
};

/// A patch with its sections in the old form as typed documents. What stands in no document's way
/// keeps its form, as Talos 1.14 takes it.
struct TypedPatch {
  Patch patch;
  std::vector<OldSection> sections;
  std::vector<MigrationNote> notes;  // those that are about the node and not about a file
  std::vector<std::string> unproved;

  /// Whether the converted patch means the same, so that it may be applied.
  bool ok() const;
};

/// Converts a patch for a config that has documents of these kinds before it is patched.
Result<TypedPatch> typed_patch(const Patch& patch, const Kinds& kinds);

/// The same of several, as they are to be applied. The error says what has no typed form.
Result<std::vector<Patch>> typed_patches(std::vector<Patch> patches, const Kinds& kinds);

}  // namespace ichor
