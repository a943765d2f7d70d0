#include "command/recipe_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "machineconfig/gen_config.h"
#include "machineconfig/schematic.h"
#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

/// The place of a path, with the mappings that lead to it.
yaml::Node& place_of(yaml::Node& root, const std::vector<std::string>& path) {
  yaml::Node* place = &root;
  for (const std::string& key : path) {
    if (!place->is_mapping()) {
      *place = yaml::Node{};
      place->kind = yaml::Kind::mapping;
    }
    const auto found =
        std::find_if(place->entries.begin(), place->entries.end(),
                     [&](const yaml::Entry& entry) { return entry.key.text == key; });
    if (found != place->entries.end()) {
      place = &found->value;
      continue;
    }
    place->entries.push_back({yaml::make_string(key), yaml::make_null()});
    place = &place->entries.back().value;
  }
  return *place;
}

void apply(const ConfigEdit& edit, yaml::Node& root) {
  yaml::Node& place = place_of(root, edit.path);
  if (edit.how == ConfigEdit::How::append && place.is_sequence()) {
    place.items.insert(place.items.end(), edit.value.items.begin(), edit.value.items.end());
  } else {
    place = edit.value;
  }
}

/// Documents as one patch.
Result<Patch> as_patch(const std::vector<yaml::Node>& documents) {
  Patch patch;
  patch.name = "documents";
  StrategicPatch steps;
  std::vector<ConfigProblem> problems;
  for (const yaml::Node& document : documents) {
    if (auto read = read_document(document, schema::Schema::kNewestMinor, problems)) {
      steps.emplace_back(std::move(*read));
    }
  }
  if (!problems.empty()) return fail(Errc::invalid, to_text(problems, "talconfig.yaml"));
  patch.content = std::move(steps);
  return patch;
}

}  // namespace

Result<std::string> RecipeCook::image_of(const NodeRecipe& node) {
  std::string image = node.install_image;
  const std::size_t at = image.find(kSchematicId);
  if (at == std::string::npos) return image;
  const std::string text =
      node.schematic.is_null() ? "customization: {}\n" : yaml::emit(node.schematic);
  auto found = schematics_.find(text);
  if (found == schematics_.end()) {
    const auto schematic = Schematic::read(text, "schematic");
    if (!schematic) return tl::unexpected(schematic.error());
    found = schematics_.emplace(text, schematic->id()).first;
  }
  return image.replace(at, kSchematicId.size(), found->second);
}

Result<ConfigDocuments> RecipeCook::base_of(const NodeRecipe& node) {
  GenerateInput input;
  input.role = node.role;
  input.cluster_name = cluster_.cluster_name;
  input.endpoint = cluster_.endpoint;
  input.kubernetes_version = cluster_.kubernetes_version;
  input.dns_domain = cluster_.dns_domain;
  input.allow_scheduling_on_control_planes = cluster_.allow_scheduling_on_control_planes;
  auto image = image_of(node);
  if (!image) return tl::unexpected(std::move(image).error());
  input.install_image = *std::move(image);
  auto roots = role_documents(contract_, input, secrets_);
  if (!roots) return tl::unexpected(std::move(roots).error());
  yaml::Node& main = roots->front();
  const SecretString& aescbc = secrets_.aescbc_encryption_secret;
  if (!aescbc.empty()) {
    place_of(main, {"cluster", "aescbcEncryptionSecret"}) = yaml::make_string(aescbc.reveal());
  }
  for (const ConfigEdit& edit : node.edits) apply(edit, main);
  ConfigDocuments documents;
  std::vector<ConfigProblem> problems;
  for (yaml::Node& root : *roots) {
    if (auto read = read_document(root, schema::Schema::kNewestMinor, problems)) {
      documents.push_back(std::move(*read));
    }
    yaml::wipe(root);
  }
  if (problems.empty()) return documents;
  return fail(Errc::invalid, to_text(problems, "talconfig.yaml"));
}

Result<std::vector<Patch>> RecipeCook::patches_of(const NodeRecipe& node) {
  std::vector<Patch> patches;
  if (!node.documents.empty()) {
    auto documents = as_patch(node.documents);
    if (!documents) return tl::unexpected(std::move(documents).error());
    patches.push_back(*std::move(documents));
  }
  for (const RecipePatch& written : node.patches) {
    auto found = patches_.find({written.name, written.text});
    if (found == patches_.end()) {
      auto loaded = load_patch(written.text, written.name);
      if (!loaded) return tl::unexpected(std::move(loaded).error());
      found = patches_.emplace(std::pair(written.name, written.text), *std::move(loaded)).first;
    }
    patches.push_back(found->second);
  }
  return patches;
}

void RecipeCook::take_findings(std::vector<Finding> found) {
  for (Finding& finding : found) {
    // That a node's documents say what is so anyway is nobody's mistake.
    if (finding.where.starts_with("documents")) continue;
    finding.severity = Severity::warning;
    const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
      return other.id == finding.id && other.where == finding.where;
    });
    if (!known) findings.push_back(std::move(finding));
  }
}

Result<SecretString> RecipeCook::config(const NodeRecipe& node) {
  const auto named = [&](const Error& error) {
    return fail(error.code, fmt::format("{}: {}", node.node.value(), error.message));
  };
  auto base = base_of(node);
  if (!base) return named(base.error());
  auto patches = patches_of(node);
  if (!patches) return named(patches.error());
  auto patched = apply_patches(std::move(*base), "config", *patches);
  if (!patched) return named(patched.error());
  take_findings(std::move(patched->findings));
  for (const RecipePatch& extra : node.extra_documents) {
    auto parsed = yaml::parse(extra.text, extra.name);
    if (!parsed) return named(parsed.error());
    for (yaml::Document& document : *parsed) {
      if (!document.root.is_null()) patched->documents.push_back(std::move(document.root));
    }
  }
  SecretString text(yaml::emit_all(patched->documents));
  for (yaml::Node& root : patched->documents) yaml::wipe(root);
  return text;
}

}  // namespace ichor
