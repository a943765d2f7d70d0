#include "command/gen_config_from.h"

#include <fmt/format.h>

#include "command/finish.h"
#include "command/recipe_config.h"
#include "command/surroundings.h"
#include "command/text_output.h"
#include "lint/rules.h"
#include "machineconfig/generate.h"
#include "pki/talosconfig.h"
#include "profile/detect.h"
#include "profile/envsubst.h"

namespace ichor {

namespace {

OrEnd<ProfileReading> read_source(const GenConfigRequest& request, const Surroundings& around,
                                  Desk& desk) {
  const auto text = desk.read_input(request.from);
  if (!text) return end_with(Exit::usage, text.error().message);
  ProfileReading reading = read_any_profile(*text, request.from, around);
  if (reading.ok()) return reading;
  RunResult result;
  result.exit = Exit::findings;
  result.verdict = fmt::format("{}: must be corrected first", request.from);
  result.findings = std::move(reading.findings);
  settle(result.findings);
  return tl::unexpected(std::move(result));
}

/// The secrets of the flag, or talsecret.yaml beside the profile. Fresh ones would fit no cluster.
OrEnd<pki::SecretsBundle> read_bundle(const GenConfigRequest& request, const Surroundings& around,
                                      Desk& desk) {
  std::string path = request.with_secrets;
  if (path.empty()) {
    const std::string beside = request.from.substr(0, request.from.rfind('/') + 1);
    for (const char* name : {"talsecret.yaml", "talsecret.yml"}) {
      if (desk.has_file(beside + name)) path = beside + name;
    }
  }
  if (path.empty()) return end_with(Exit::usage, "gen config --from needs --with-secrets FILE");
  const auto text = desk.read_input(path);
  if (!text) return end_with(Exit::usage, text.error().message);
  std::string content = *text;
  if (content.find("${") != std::string::npos) {
    auto substituted = substitute(content, around.variable);
    if (!substituted) {
      return end_with(Exit::findings, fmt::format("{}: {}", path, substituted.error()));
    }
    content = *std::move(substituted);
  }
  auto bundle = pki::read_secrets(content, path);
  if (!bundle) return end_with(bundle.error());
  return *std::move(bundle);
}

std::string path_in(const GenConfigRequest& request, const std::string& name) {
  const std::string folder = request.output.empty() ? "clusterconfig" : request.output;
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

Result<SecretString> talosconfig_of(const ClusterRecipe& recipe, const pki::SecretsBundle& secrets,
                                    Desk& desk) {
  const auto made = pki::make_talosconfig(recipe.cluster_name, secrets.os, recipe.endpoints,
                                          recipe.addresses, desk.clock().wall());
  if (!made) return tl::unexpected(made.error());
  return pki::write_talosconfig(*made);
}

/// Of a profile that has no recipe of its own: what `up` would send.
Result<std::vector<TextOutput>> cook_profile(const GenConfigRequest& request,
                                             const ClusterProfile& profile,
                                             const pki::SecretsBundle& secrets) {
  auto configs = generate_all(profile, secrets);
  if (!configs) return tl::unexpected(std::move(configs).error());
  std::vector<TextOutput> outputs;
  for (auto& [name, config] : configs->nodes) {
    outputs.push_back({name.value(),
                       path_in(request, fmt::format("{}-{}.yaml", profile.name, name.value())),
                       std::move(config.bytes)});
  }
  return outputs;
}

ClusterRecipe talosconfig_facts(const ClusterProfile& profile) {
  ClusterRecipe facts;
  facts.cluster_name = profile.name;
  for (const NodePlan& node : profile.nodes) {
    facts.addresses.push_back(node.address.value());
    if (node.role == Role::control_plane) facts.endpoints.push_back(node.address.value());
  }
  return facts;
}

}  // namespace

Exit gen_config_from(const GenConfigRequest& request, const CommonOptions& common, Desk& desk) {
  const Surroundings around = surroundings_of(request.from, desk);
  auto reading = read_source(request, around, desk);
  if (!reading) return finish_aside(std::move(reading).error(), desk);
  const auto secrets = read_bundle(request, around, desk);
  if (!secrets) return finish_aside(secrets.error(), desk);
  std::vector<TextOutput> outputs;
  std::vector<Finding> findings;
  const auto failed = [&](const Error& error) {
    return finish_aside(end_with(error).value(), desk);
  };
  if (reading->recipe) {
    const auto contract = find_contract(reading->recipe->version);
    if (!contract) return failed(contract.error());
    RecipeCook cook(*reading->recipe, *contract, *secrets);
    for (const NodeRecipe& node : reading->recipe->nodes) {
      auto text = cook.config(node);
      if (!text) return failed(text.error());
      outputs.push_back({node.node.value(), path_in(request, node.file_name), *std::move(text)});
    }
    findings = std::move(cook.findings);
  } else {
    auto cooked = cook_profile(request, reading->profile, *secrets);
    if (!cooked) return failed(cooked.error());
    outputs = *std::move(cooked);
  }
  auto talosconfig = talosconfig_of(
      reading->recipe ? *reading->recipe : talosconfig_facts(reading->profile), *secrets, desk);
  if (!talosconfig) return failed(talosconfig.error());
  outputs.push_back({"talosconfig", path_in(request, "talosconfig"), *std::move(talosconfig)});
  return deliver(std::move(outputs), request.force, std::move(findings), common, desk);
}

}  // namespace ichor
