#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "lint/rules.h"

namespace ichor {

/// A value that a patch sets.
struct Setting {
  const yaml::Node* value{nullptr};  // nullptr: no patch sets it
  const LintPatch* patch{nullptr};

  explicit operator bool() const { return value != nullptr; }
  std::string where() const { return where(*value); }
  /// Of something below the value.
  std::string where(const yaml::Node& below) const;
};

/// What the patches set in one node's machine config, in the order in which they are applied. Lists
/// that Talos would join are seen one by one.
class NodeSettings {
 public:
  NodeSettings(const LintInput& input, const NodePlan& node);

  using Path = std::initializer_list<std::string_view>;
  /// Each patch's value of a key of the v1alpha1 document, or of the typed document that says the
  /// same since Talos 1.14.
  std::vector<Setting> all(Path path) const;
  /// The one that counts, of a value that is not joined.
  Setting last(Path path) const;
  /// The documents of a kind.
  std::vector<Setting> documents(std::string_view kind) const;

 private:
  std::vector<const LintPatch*> patches_;
};

/// Whether the cluster's contract says in typed documents what older ones said under `machine` and
/// `cluster`.
bool has_typed_documents(const ClusterProfile& profile);

/// Documents without a kind hold machine and cluster.
bool is_v1alpha1(const yaml::Node& document);

}  // namespace ichor
