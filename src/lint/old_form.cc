#include "lint/old_form.h"

#include <fmt/format.h>
#include <set>
#include <string>

#include "base/redact.h"
#include "lint/settings.h"
#include "machineconfig/generate.h"
#include "machineconfig/typed_patch.h"
#include "model/reporter.h"
#include "yaml/document.h"

namespace ichor {

namespace {

/// The kinds of the documents of the configs that a patch goes into.
Kinds kinds_for(const LintInput& input, const PatchScope& scope) {
  if (input.material.base_kinds) return *input.material.base_kinds;
  Kinds kinds;
  for (const NodePlan& node : input.profile.nodes) {
    if (!scope.covers(node)) continue;
    const auto documents = generate_documents(input.profile, pki::SecretsBundle(), node, {});
    if (documents) kinds.merge(kinds_of(*documents));  // why not is said elsewhere
  }
  return kinds;
}

/// Templates, encrypted patches and those in the profile itself are the user's to write.
std::string how_to_write(const std::string& file) {
  const bool by_hand = file.ends_with(".j2") || file.starts_with("patches[") ||
                       file.find(".sops.") != std::string::npos;
  if (by_hand) return "`ichor migrate --to v1.14 -p PROFILE` shows the documents to write there";
  return fmt::format("`ichor migrate --to v1.14 {} --write` writes it so", file);
}

/// What of a patch has no typed form is an error; the rest is converted whenever configs are made.
void check_patch(const LintPatch& patch, const Kinds& kinds, Reporter& report) {
  const auto read = load_patch(patch.documents, patch.file, schema::Schema::kNewestMinor);
  if (!read) return;  // that was found by the rules about keys, or is when it is applied
  const auto typed = typed_patch(*read, kinds);
  if (!typed) {
    return report.error("patch.old-form", patch.file + ":1:1", typed.error().message,
                        "write the patch as typed documents");
  }
  for (const MigrationNote& note : typed->notes) {
    const bool error = note.severity == Severity::error;
    const std::string where = yaml::to_text(patch.file, note.at);
    const std::string what = fmt::format("{}: {}", note.path, note.what);
    if (error) {
      report.error("patch.old-form", where, what, note.fix);
    } else {
      report.warning("patch.old-form", where, what, note.fix);
    }
  }
  for (const std::string& setting : typed->unproved) {
    report.error(
        "patch.old-form", patch.file + ":1:1",
        fmt::format("as typed documents this setting would differ: {}", redact_urls(setting)),
        "write it as a typed document by hand");
  }
  if (!typed->ok()) return;
  for (const OldSection& section : typed->sections) {
    report.warning("patch.old-form", yaml::to_text(patch.file, section.at),
                   fmt::format("{} stands in a {} document in a config of this contract; ichor "
                               "converts it",
                               section.path, section.kind),
                   how_to_write(patch.file));
  }
}

}  // namespace

void lint_old_form(const LintInput& input, std::vector<Finding>& findings) {
  if (!has_typed_documents(input.profile)) return;
  Reporter report(findings);
  for (const LintPatch& patch : input.material.patches) {
    check_patch(patch, kinds_for(input, patch.scope), report);
  }
}

}  // namespace ichor
