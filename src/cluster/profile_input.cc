#include "cluster/profile_input.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

#include "cluster/run_profile.h"
#include "lint/read_material.h"
#include "lint/rules.h"
#include "lint/source_lines.h"
#include "machineconfig/check_configs.h"
#include "machineconfig/generate.h"
#include "machineconfig/patch_texts.h"
#include "machineconfig/recipe_config.h"
#include "phase/provision.h"
#include "profile/profile_file.h"
#include "secrets/secrets_bundle.h"

namespace ichor {

namespace {

struct Judged {
  ProfileReading reading;
  std::string folder;
  std::vector<Finding> findings;
  ProfilePatches patches;
};

/// The patches of a recipe, for the rules.
PatchTexts texts_of(const ClusterRecipe& recipe) {
  PatchTexts texts;
  for (const NodeRecipe& node : recipe.nodes) {
    for (const RecipePatch& patch : node.patches) {
      const PatchScope scope{PatchScope::Kind::node, node.node};
      texts.patches.push_back({{patch.name, scope, false, {}}, SecretString(patch.text)});
    }
  }
  return texts;
}

/// Whether the patches can be applied.
void try_patches(const PatchTexts& texts, Judged& judged) {
  const ClusterProfile& profile = judged.reading.profile;
  std::vector<Finding> found;
  if (judged.reading.recipe) {
    found = check_recipe(*judged.reading.recipe);
  } else {
    judged.patches = load_patches(profile, texts, judged.findings);
    found = check_patches(profile, judged.patches);
  }
  judged.findings.insert(judged.findings.end(), std::move_iterator(found.begin()),
                         std::move_iterator(found.end()));
}

/// The rules, and whether the patches can be applied. Patches that a rule found wrong are not tried
/// as well: that would say the same in other words.
void judge_content(Judged& judged, Host& host) {
  const std::string& folder = judged.folder;
  const ClusterProfile& profile = judged.reading.profile;
  const PatchTexts texts = judged.reading.recipe
                               ? texts_of(*judged.reading.recipe)
                               : read_patch_texts(judged.reading, folder, judged.findings, host);
  LintInput input{profile, judged.reading.source};
  input.material = read_lint_material(judged.reading, texts, folder, host.files, judged.findings);
  if (judged.reading.recipe) input.material.base_kinds = base_kinds(*judged.reading.recipe);
  std::vector<Finding> of_rules = lint(input);
  judged.findings.insert(judged.findings.end(), std::move_iterator(of_rules.begin()),
                         std::move_iterator(of_rules.end()));
  const bool patches_fine =
      std::none_of(judged.findings.begin(), judged.findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::error && finding.id.starts_with("patch.");
      });
  if (patches_fine) try_patches(texts, judged);
  texts.secrets.hide(judged.findings);
}

bool has_error(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::error; });
}

/// "ichor.yaml:12" of "ichor.yaml:12:5".
std::string line_of(const std::string& where) { return where.substr(0, where.rfind(':')); }

/// A profile with a structural error holds empty values where the error is. What rules say at such
/// a place, of values that are missing, and of patches that want them, only follows from it.
void drop_followups(Judged& judged) {
  const std::vector<Finding>& causes = judged.reading.findings;
  std::erase_if(judged.findings, [&](const Finding& finding) {
    if (finding.id.starts_with("profile.")) return false;
    constexpr std::array<std::string_view, 6> of_values = {"patch.template", "patch.variables",
                                                           "patch.apply",    "patch.nobody",
                                                           "patch.node",     "network.endpoint"};
    if (std::find(of_values.begin(), of_values.end(), finding.id) != of_values.end()) return true;
    const bool nowhere = finding.where == judged.reading.source.file() + ":1:1";
    return nowhere || std::any_of(causes.begin(), causes.end(), [&](const Finding& cause) {
             return line_of(cause.where) == line_of(finding.where);
           });
  });
}

/// Whether Talos would take the configs that come out. The secrets in them are made up.
void judge_configs(Judged& judged, Host& host) {
  const ClusterProfile& profile = judged.reading.profile;
  const pki::SecretsBundle secrets =
      pki::throw_away_secrets(host.loop.clock().wall(), profile.talos.contract);
  auto configs = judged.reading.recipe ? cook_all(profile, *judged.reading.recipe, secrets)
                                       : generate_all(profile, secrets, judged.patches);
  if (!configs) return;  // its reason was found by the rules, or is one of the secrets
  for (Finding& finding : check_configs(profile, *configs)) {
    judged.findings.push_back(std::move(finding));
  }
}

/// How far a profile is judged: what it says, or also the configs that are made of it.
enum class Depth { profile, configs };

OrEnd<Judged> judge(const CommonOptions& common, Host& host, Depth depth,
                    const std::string& kubernetes_version = {}) {
  SecretWords secrets;
  auto reading = read_profile_file(common.profile, secrets, host);
  if (!reading) return forward_error(reading);
  Judged judged{*std::move(reading), profile_folder(common.profile, host), {}, {}};
  judged.findings = judged.reading.findings;
  const bool whole = judged.reading.ok();
  // Before the patches are read, whose templates may ask for it.
  if (!kubernetes_version.empty()) {
    judged.reading.profile.talos.kubernetes_version = kubernetes_version;
    if (judged.reading.recipe) judged.reading.recipe->kubernetes_version = kubernetes_version;
  }
  judge_content(judged, host);
  if (!whole) drop_followups(judged);
  if (!kubernetes_version.empty()) {
    // What is asked for by a flag is for the command to judge, and no line of the profile says it.
    std::erase_if(judged.findings,
                  [](const Finding& one) { return one.id == "versions.kubernetes"; });
  }
  if (depth == Depth::configs && !has_error(judged.findings)) judge_configs(judged, host);
  secrets.hide(judged.findings);
  settle(judged.findings);
  return judged;
}

/// Refuses a profile with errors, and one of another cluster.
OrEnd<void> check_usable(const CommonOptions& common, Judged& judged, Host& host) {
  if (has_error(judged.findings)) {
    RunResult result;
    result.exit = Exit::findings;
    result.verdict = fmt::format("{}: the profile must be corrected first", common.profile);
    result.findings = std::move(judged.findings);
    if (!for_programs(common.output)) show_source_lines(result.findings, host.files);
    return tl::unexpected(std::move(result));
  }
  const ClusterProfile& profile = judged.reading.profile;
  if (!common.cluster.empty() && common.cluster != profile.name) {
    return end_with(Exit::usage, fmt::format("{} describes the cluster {}, not {}", common.profile,
                                             profile.name, common.cluster));
  }
  return {};
}

}  // namespace

OrEnd<std::vector<Finding>> lint_profile_input(const CommonOptions& common, Host& host) {
  auto judged = judge(common, host, Depth::configs);
  if (!judged) return forward_error(judged);
  return std::move(judged->findings);
}

OrEnd<ProfileInput> read_profile_input(const CommonOptions& common, const RunOptions& options,
                                       Host& host) {
  auto judged = judge(common, host, Depth::profile, options.kubernetes_version);
  if (!judged) return forward_error(judged);
  if (auto usable = check_usable(common, *judged, host); !usable) return forward_error(usable);
  ProfileReading& reading = judged->reading;
  // From the provider's list of machines, where the profile does not say.
  if (reading.provider) bind_machines(reading.profile, *reading.provider);
  auto run = run_profile(std::move(reading.profile), options);
  if (!run) return forward_error(run);
  std::vector<Finding> warnings = std::move(judged->findings);
  warnings.insert(warnings.end(), std::move_iterator(run->warnings.begin()),
                  std::move_iterator(run->warnings.end()));
  return ProfileInput{std::move(run->profile),
                      std::move(warnings),
                      std::move(judged->folder),
                      std::move(reading.ready_configs),
                      std::move(judged->patches),
                      std::move(reading.recipe),
                      options.nodes.access,
                      std::move(run->endpoints),
                      common.profile,
                      std::move(run->everybody),
                      std::move(reading.provider),
                      std::move(reading.scan)};
}

std::string state_path(const CommonOptions& common, const ProfileInput& input) {
  if (!common.state_dir.empty()) return common.state_dir;
  if (!common.lab_state.empty()) return common.lab_state + "/ichor/" + input.profile.name;
  return fmt::format("{}.ichor/{}", input.folder, input.profile.name);
}

}  // namespace ichor
