#include "lint/old_form.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>

#include "lint/settings.h"
#include "machineconfig/contract.h"
#include "machineconfig/generate.h"
#include "machineconfig/validate/replaced.h"
#include "model/reporter.h"

namespace ichor {

namespace {

using Kinds = std::set<std::string>;

/// The documents of a node's config before patches.
Kinds kinds_for(const ClusterProfile& profile, const NodePlan& node) {
  Kinds kinds;
  const auto documents = generate_documents(profile, pki::SecretsBundle(), node, {});
  if (!documents) return kinds;  // why is said elsewhere
  for (const yaml::Node& document : *documents) {
    if (const yaml::Node* kind = document.find("kind")) kinds.insert(kind->text);
  }
  return kinds;
}

const yaml::Node* find_path(const yaml::Node& root, std::string_view path) {
  const yaml::Node* node = &root;
  while (node != nullptr && !path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    node = node->find(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return node;
}

bool filled(const yaml::Node& node) {
  return !node.items.empty() || !node.entries.empty() || !node.text.empty();
}

void check_patch(const LintPatch& patch, const Kinds& kinds, Reporter& report) {
  for (const yaml::Node& document : patch.documents) {
    if (!is_v1alpha1(document)) continue;
    std::set<std::string> told;  // several documents can replace one section
    for (const Replaced& part : replaced_parts()) {
      if (!kinds.contains(part.kind)) continue;
      const yaml::Node* value = find_path(document, part.path);
      if (value == nullptr || value->is_null() || value->find("$patch") != nullptr) continue;
      if (part.when == Replaced::If::filled && !filled(*value)) continue;
      if (!told.insert(part.path).second) continue;
      const std::string path(part.path);
      const bool inside = std::any_of(told.begin(), told.end(), [&](const std::string& other) {
        return path.starts_with(other + ".");
      });
      if (inside) continue;
      report.error(
          "patch.old-form", yaml::to_text(patch.file, value->at),
          fmt::format("{} stands in a {} document in a config of this contract", path, part.kind),
          fmt::format("`ichor migrate --to v1.14 {} --write` converts the patch", patch.file));
    }
  }
}

}  // namespace

void lint_old_form(const LintInput& input, std::vector<Finding>& findings) {
  const auto contract = find_contract(input.profile.talos.contract);
  if (!contract || !contract->typed_documents) return;
  Reporter report(findings);
  for (const LintPatch& patch : input.material.patches) {
    Kinds kinds;
    for (const NodePlan& node : input.profile.nodes) {
      if (patch.scope.covers(node)) kinds.merge(kinds_for(input.profile, node));
    }
    check_patch(patch, kinds, report);
  }
}

}  // namespace ichor
