#include "machineconfig/recipe_config.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "machineconfig/gen_config.h"
#include "machineconfig/generate.h"
#include "machineconfig/migrate/migrate.h"
#include "machineconfig/schematic.h"
#include "machineconfig/typed_patch.h"
#include "profile/role_project.h"
#include "secrets/base64.h"
#include "yaml/build.h"
#include "yaml/document.h"
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

/// Nodes with the same key begin with the same config.
std::string base_key(const NodeRecipe& node, const std::string& image) {
  std::string key = fmt::format("{}\n{}\n", name_of(node.role), image);
  for (const ConfigEdit& edit : node.edits) {
    const bool append = edit.how == ConfigEdit::How::append;
    key += fmt::format("{} {}\n{}", fmt::join(edit.path, "/"), append ? "+" : "",
                       yaml::emit(edit.value));
  }
  return key;
}

/// A template in which another cluster's secrets were written out makes nodes that ichor cannot
/// reach, or that join that cluster. The message names the key and never a value.
Result<void> prove_own(const yaml::Node& main, const std::string& file,
                       const pki::SecretsBundle& secrets) {
  const auto differs = [&](std::initializer_list<std::string_view> path, std::string_view own) {
    const yaml::Node* value = main.is_mapping() ? main.find_path(path) : nullptr;
    return value != nullptr && !value->text.empty() && value->text != own;
  };
  const auto refused = [&](std::string_view key) {
    return fail(Errc::unsafe,
                fmt::format("{}: {} is that of another cluster. Write it as a variable of the "
                            "template, such as secrets.cluster.id",
                            file, key));
  };
  if (differs({"cluster", "id"}, secrets.cluster_id)) return refused("cluster.id");
  if (differs({"cluster", "secret"}, secrets.cluster_secret.reveal())) {
    return refused("cluster.secret");
  }
  if (differs({"cluster", "token"}, secrets.bootstrap_token.reveal())) {
    return refused("cluster.token");
  }
  if (differs({"machine", "token"}, secrets.trustd_token.reveal())) return refused("machine.token");
  if (differs({"machine", "ca", "crt"}, pki::base64(secrets.os.certificate))) {
    return refused("machine.ca.crt");
  }
  if (differs({"cluster", "ca", "crt"}, pki::base64(secrets.k8s.certificate))) {
    return refused("cluster.ca.crt");
  }
  const yaml::Node* kind = main.find("kind");
  if (kind == nullptr) return {};
  if (kind->text == "DiscoveryIdentityConfig") {
    if (differs({"clusterID"}, secrets.cluster_id)) return refused("clusterID");
    if (differs({"clusterSecret"}, secrets.cluster_secret.reveal())) {
      return refused("clusterSecret");
    }
  }
  if (kind->text != "KubeAPIServerCAConfig") return {};
  // The PEM text itself, with or without the newline at its end.
  const auto other_ca = [&](const yaml::Node& pem) {
    const auto trimmed = [](std::string_view text) {
      return text.substr(0, text.find_last_not_of(" \n") + 1);
    };
    return !pem.text.empty() && trimmed(pem.text) != trimmed(secrets.k8s.certificate);
  };
  const yaml::Node* issuing = main.find_path({"issuingCA", "cert"});
  if (issuing != nullptr && other_ca(*issuing)) return refused("issuingCA.cert");
  // Beside the cluster's own, an older one may be accepted.
  const yaml::Node* accepted = main.find("acceptedCAs");
  if (issuing == nullptr && accepted != nullptr && !accepted->items.empty() &&
      std::ranges::all_of(accepted->items, other_ca)) {
    return refused("acceptedCAs");
  }
  return {};
}

/// The documents that a template gives for a node.
Result<std::vector<yaml::Node>> rendered_roots(const ClusterRecipe& cluster, const NodeRecipe& node,
                                               const pki::SecretsBundle& secrets) {
  auto rendered = render_base(*cluster.base, cluster.cluster_name, node.node, node.role, secrets);
  if (!rendered) return forward_error(rendered);
  const SecretString text(*std::move(rendered));
  auto parsed = yaml::parse_or_explain(text.reveal(), cluster.base->file);
  if (!parsed) return fail(Errc::invalid, parsed.error().message());
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *parsed) {
    if (!document.root.is_null()) roots.push_back(std::move(document.root));
  }
  for (const yaml::Node& root : roots) {
    const bool known = !secrets.cluster_id.empty();
    if (auto own = known ? prove_own(root, cluster.base->file, secrets) : Result<void>(); !own) {
      return forward_error(own);
    }
  }
  return roots;
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
    if (!schematic) return forward_error(schematic);
    found = schematics_.emplace(text, schematic->id()).first;
  }
  return image.replace(at, kSchematicId.size(), found->second);
}

RecipeCook::RecipeCook(const ClusterRecipe& cluster, const Contract& contract,
                       const pki::SecretsBundle& secrets)
    : cluster_(cluster),
      converts_(!cluster.base && contract.typed_documents),
      contract_(converts_ ? last_untyped_contract() : contract),
      secrets_(secrets) {}

RecipeCook::~RecipeCook() {
  for (auto& [key, documents] : bases_) wipe(documents);
}

Result<std::vector<yaml::Node>> RecipeCook::generated(const NodeRecipe& node, std::string image) {
  GenerateInput input;
  input.role = node.role;
  input.cluster_name = cluster_.cluster_name;
  input.endpoint = cluster_.endpoint;
  input.kubernetes_version = cluster_.kubernetes_version;
  input.dns_domain = cluster_.dns_domain;
  input.allow_scheduling_on_control_planes = cluster_.allow_scheduling_on_control_planes;
  input.install_image = std::move(image);
  auto roots = role_documents(contract_, input, secrets_);
  if (!roots) return forward_error(roots);
  yaml::Node& main = roots->front();
  const SecretString& aescbc = secrets_.aescbc_encryption_secret;
  if (!aescbc.empty()) {
    place_of(main, {"cluster", "aescbcEncryptionSecret"}) = yaml::make_string(aescbc.reveal());
  }
  for (const ConfigEdit& edit : node.edits) apply(edit, main);
  return roots;
}

Result<ConfigDocuments> RecipeCook::base_of(const NodeRecipe& node) {
  std::string image, key;
  if (!cluster_.base) {
    auto found = image_of(node);
    if (!found) return forward_error(found);
    image = *std::move(found);
    key = base_key(node, image);
    if (const auto known = bases_.find(key); known != bases_.end()) return known->second;
  }
  auto roots =
      cluster_.base ? rendered_roots(cluster_, node, secrets_) : generated(node, std::move(image));
  if (!roots) return forward_error(roots);
  ConfigDocuments documents;
  std::vector<ConfigProblem> problems;
  for (yaml::Node& root : *roots) {
    if (auto read = read_document(root, schema::Schema::kNewestMinor, problems)) {
      documents.push_back(std::move(*read));
    }
    yaml::wipe(root);
  }
  if (problems.empty()) {
    if (!cluster_.base) bases_[key] = documents;
    return documents;
  }
  return fail(Errc::invalid,
              to_text(problems, cluster_.base ? cluster_.base->file : "talconfig.yaml"));
}

Result<std::vector<Patch>> RecipeCook::patches_of(const NodeRecipe& node) {
  std::vector<Patch> patches;
  if (!node.documents.empty()) {
    auto documents = as_patch(node.documents);
    if (!documents) return forward_error(documents);
    patches.push_back(*std::move(documents));
  }
  for (const RecipePatch& written : node.patches) {
    auto found = patches_.find({written.name, written.text});
    if (found == patches_.end()) {
      auto loaded = load_patch(written.text, written.name, patch_minor(contract_));
      if (!loaded) return forward_error(loaded);
      found = patches_.emplace(std::pair(written.name, written.text), *std::move(loaded)).first;
    }
    patches.push_back(found->second);
  }
  return patches;
}

void RecipeCook::take_findings(std::vector<Finding> found) {
  for (Finding& finding : found) {
    // That a node's documents say what is so anyway is not a mistake.
    if (finding.where.starts_with("documents")) continue;
    finding.severity = Severity::warning;
    const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
      return other.id == finding.id && other.where == finding.where;
    });
    if (!known) findings.push_back(std::move(finding));
  }
}

Result<std::vector<yaml::Node>> RecipeCook::config(const NodeRecipe& node) {
  const auto named = [&](const Error& error) {
    return fail(error.code, fmt::format("{}: {}", node.node.value(), error.message));
  };
  auto base = base_of(node);
  if (!base) return named(base.error());
  auto patches = patches_of(node);
  if (!patches) return named(patches.error());
  if (!converts_) patches = typed_patches(*std::move(patches), kinds_of(*base));
  if (!patches) return named(patches.error());
  auto patched = apply_patches(std::move(*base), "config", *patches, patch_minor(contract_));
  if (!patched) return named(patched.error());
  take_findings(std::move(patched->findings));
  for (const RecipePatch& extra : node.extra_documents) {
    auto parsed = yaml::parse(extra.text, extra.name);
    if (!parsed) return named(parsed.error());
    for (yaml::Document& document : *parsed) {
      if (!document.root.is_null()) patched->documents.push_back(std::move(document.root));
    }
  }
  if (!converts_) return std::move(patched->documents);
  auto typed = as_typed(std::move(patched->documents));
  if (!typed) return named(typed.error());
  return typed;
}

Result<std::vector<yaml::Node>> RecipeCook::as_typed(std::vector<yaml::Node> documents) {
  const SecretString text(yaml::emit_all(documents));
  for (yaml::Node& document : documents) yaml::wipe(document);
  MigrateOptions options;
  options.kubernetes_version = cluster_.kubernetes_version;
  auto migrated = migrate_config(text.reveal(), "talconfig.yaml", options);
  if (!migrated) return forward_error(migrated);
  std::vector<Finding> notes;
  for (const MigrationNote& note : migrated->notes) {
    if (note.severity == Severity::error) {
      return fail(Errc::invalid, fmt::format("{}: {}; {}", note.path, note.what, note.fix));
    }
    notes.push_back({note.severity, "migrate", {}, note.path, note.what, note.fix});
  }
  if (!migrated->unproved.empty()) {
    return fail(Errc::invalid, fmt::format("converted to documents of Talos 1.14, these settings "
                                           "would differ: {}",
                                           fmt::join(migrated->unproved, "; ")));
  }
  take_findings(std::move(notes));
  return std::move(migrated->documents);
}

Result<ConfigSet> cook_all(const ClusterProfile& profile, const ClusterRecipe& recipe,
                           const pki::SecretsBundle& secrets) {
  const auto contract = find_contract(profile.talos.contract);
  if (!contract) return forward_error(contract);
  RecipeCook cook(recipe, *contract, secrets);
  ConfigSet set;
  for (const NodeRecipe& node : recipe.nodes) {
    const NodePlan* plan = profile.find(node.node);
    if (plan == nullptr) continue;  // the operator left it out
    auto documents = cook.config(node);
    if (!documents) return forward_error(documents);
    set.nodes.emplace(node.node, seal(*std::move(documents), node.role));
  }
  stamp(profile, secrets, set);
  return set;
}

Kinds base_kinds(const ClusterRecipe& recipe) {
  Kinds kinds;
  if (!recipe.base) return kinds;
  for (const NodeRecipe& node : recipe.nodes) {
    const auto roots = rendered_roots(recipe, node, placeholder_secrets());
    if (roots) kinds.merge(kinds_of(*roots));
  }
  return kinds;
}

std::vector<Finding> check_recipe(const ClusterRecipe& recipe) {
  const auto refused = [](const Error& error) {
    Finding finding;
    finding.id = "patch.apply";
    finding.what = error.message;
    finding.fix = "correct what it names";
    return std::vector<Finding>{finding};
  };
  const auto contract = find_contract(recipe.version);
  if (!contract) return refused(contract.error());
  const pki::SecretsBundle secrets = recipe.base ? placeholder_secrets() : pki::SecretsBundle();
  RecipeCook cook(recipe, *contract, secrets);
  for (const NodeRecipe& node : recipe.nodes) {
    if (auto documents = cook.config(node); !documents) return refused(documents.error());
  }
  return std::move(cook.findings);
}

}  // namespace ichor
