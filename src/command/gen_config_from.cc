#include "command/gen_config_from.h"

#include <fmt/format.h>

#include "cluster/secrets_input.h"
#include "lint/rules.h"
#include "machineconfig/generate.h"
#include "machineconfig/patch_texts.h"
#include "machineconfig/recipe_config.h"
#include "machineconfig/schematic_input.h"
#include "profile/profile_file.h"
#include "profile/profile_layout.h"
#include "run/deliver.h"
#include "run/finish.h"
#include "secrets/talosconfig.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

/// One run of the command: what was read, and what must not be shown of it.
class FromRun {
 public:
  FromRun(const GenConfigRequest& request, Host& host)
      : request_(request), host_(host), folder_(profile_folder(request.from, host)) {}

  OrEnd<std::vector<TextOutput>> run() {
    auto reading = read_source();
    if (!reading) return forward_error(reading);
    settle_output(reading->profile);
    auto secrets = read_bundle(reading->profile);
    if (!secrets) return forward_error(secrets);
    auto cooked =
        reading->recipe ? cook(*reading->recipe, *secrets) : cook_profile(*reading, *secrets);
    if (!cooked) return cooked;
    const ClusterRecipe facts =
        reading->recipe ? *std::move(reading->recipe) : talosconfig_facts(reading->profile);
    const auto context = pki::make_talosconfig(facts.cluster_name, secrets->os, facts.endpoints,
                                               facts.addresses, host_.loop.clock().wall());
    if (!context) return end_with(context.error());
    cooked->push_back({"talosconfig", path_of("talosconfig"), pki::write_talosconfig(*context)});
    return cooked;
  }

  std::vector<Finding> findings;  // warnings

 private:
  OrEnd<ProfileReading> read_source();
  OrEnd<pki::SecretsBundle> read_bundle(const ClusterProfile& profile);
  OrEnd<std::vector<TextOutput>> cook(const ClusterRecipe& recipe,
                                      const pki::SecretsBundle& secrets);
  OrEnd<std::vector<TextOutput>> cook_profile(ProfileReading& reading,
                                              const pki::SecretsBundle& secrets);
  static ClusterRecipe talosconfig_facts(const ClusterProfile& profile);

  std::string path_of(const std::string& name) const {
    return output_ + (output_.ends_with('/') ? "" : "/") + name;
  }

  /// --output-dir, or the profile's config_dir, or clusterconfig.
  void settle_output(const ClusterProfile& profile) {
    const std::string& config_dir = profile.talos.config_dir;
    output_ = !request_.output.empty() ? request_.output
              : !config_dir.empty()    ? at_profile(folder_, config_dir)
                                       : "clusterconfig";
  }

  static SecretString marked(std::string_view config) {
    return SecretString(std::string(kGeneratedMark) + std::string(config));
  }

  tl::unexpected<RunResult> refuse(std::vector<Finding> found) {
    RunResult result;
    result.exit = Exit::findings;
    result.verdict = fmt::format("{}: must be corrected first", request_.from);
    secret_words_.hide(found);
    result.findings = std::move(found);
    settle(result.findings);
    return tl::unexpected(std::move(result));
  }

  const GenConfigRequest& request_;
  Host& host_;
  std::string folder_;
  std::string output_;
  SecretWords secret_words_;
};

OrEnd<ProfileReading> FromRun::read_source() {
  auto reading = read_profile_file(request_.from, secret_words_, host_);
  if (!reading || reading->ok()) return reading;
  return refuse(std::move(reading->findings));
}

/// The secrets of the flag, or those that the profile leads to. Fresh ones would fit no cluster.
OrEnd<pki::SecretsBundle> FromRun::read_bundle(const ClusterProfile& profile) {
  if (!request_.with_secrets.empty()) return read_secrets_input(request_.with_secrets, host_);
  const std::string& named = profile.talos.secrets_file;
  if (named.empty()) {
    return end_with(Exit::usage,
                    "gen config --from needs --with-secrets FILE, because the profile "
                    "names no secrets_file and there is no talsecret.yaml beside it");
  }
  const std::string path = at_profile(folder_, named);
  if (!host_.files.has_file(path)) {
    return end_with(Exit::usage, fmt::format("{}: there is no such file; `ichor gen secrets -o {}` "
                                             "makes it",
                                             path, path));
  }
  return read_secrets_input(path, host_);
}

OrEnd<std::vector<TextOutput>> FromRun::cook(const ClusterRecipe& recipe,
                                             const pki::SecretsBundle& secrets) {
  const auto contract = find_contract(recipe.version);
  if (!contract) return end_with(contract.error());
  RecipeCook cook(recipe, *contract, secrets);
  std::vector<TextOutput> outputs;
  for (const NodeRecipe& node : recipe.nodes) {
    auto documents = cook.config(node);
    if (!documents) {
      return end_with(exit_of(documents.error().code),
                      secret_words_.hide(documents.error().message));
    }
    outputs.push_back(
        {node.node.value(), path_of(node.file_name), marked(yaml::emit_all(*documents))});
    for (yaml::Node& root : *documents) yaml::wipe(root);
  }
  findings = std::move(cook.findings);
  secret_words_.hide(findings);
  return outputs;
}

/// Of a profile that has no recipe of its own: what `up` would send.
OrEnd<std::vector<TextOutput>> FromRun::cook_profile(ProfileReading& reading,
                                                     const pki::SecretsBundle& secrets) {
  const ClusterProfile& profile = reading.profile;
  std::vector<Finding> found;
  read_schematic_input(reading, folder_, found, host_.files);
  const PatchTexts texts = read_patch_texts(reading, folder_, found, host_);
  const ProfilePatches patches = load_patches(profile, texts, found);
  texts.secrets.hide(found);
  if (!found.empty()) return refuse(std::move(found));
  auto configs = generate_all(profile, secrets, patches);
  if (!configs) return end_with(Exit::findings, texts.secrets.hide(configs.error().message));
  std::vector<TextOutput> outputs;
  for (auto& [name, config] : configs->nodes) {
    outputs.push_back({name.value(), path_of(fmt::format("{}-{}.yaml", profile.name, name.value())),
                       marked(config.bytes.reveal())});
  }
  return outputs;
}

ClusterRecipe FromRun::talosconfig_facts(const ClusterProfile& profile) {
  ClusterRecipe facts;
  facts.cluster_name = profile.name;
  for (const NodePlan& node : profile.nodes) {
    facts.addresses.push_back(node.address.value());
    if (node.role == Role::control_plane) facts.endpoints.push_back(node.address.value());
  }
  return facts;
}

}  // namespace

Exit gen_config_from(const GenConfigRequest& request, const CommonOptions& common, Host& host) {
  FromRun from(request, host);
  auto outputs = from.run();
  if (!outputs) return finish_aside(std::move(outputs).error(), host.terminal);
  for (TextOutput& output : *outputs) output.reproducible = true;
  return deliver(*std::move(outputs), request.force, std::move(from.findings), common, host);
}

}  // namespace ichor
