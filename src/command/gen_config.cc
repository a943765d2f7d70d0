#include "machineconfig/gen_config.h"

#include <algorithm>
#include <fmt/format.h>

#include "cluster/secrets_input.h"
#include "command/commands.h"
#include "command/gen_config_from.h"
#include "machineconfig/patch_input.h"
#include "model/talos_release.h"
#include "run/deliver.h"
#include "run/finish.h"
#include "secrets/talosconfig.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

/// The outputs in the order in which talosctl writes them, and the names of their files.
constexpr std::pair<GenOutput, std::string_view> kOutputs[] = {
    {GenOutput::controlplane, "controlplane.yaml"},
    {GenOutput::worker, "worker.yaml"},
    {GenOutput::talosconfig, "talosconfig"},
};

bool wants(const GenConfigRequest& request, GenOutput output) {
  return request.outputs.empty() ||
         std::find(request.outputs.begin(), request.outputs.end(), output) != request.outputs.end();
}

std::string path_of(const GenConfigRequest& request, std::string_view name) {
  const bool single = request.outputs.size() == 1;
  if (single && !request.output.empty()) return request.output;
  if (request.output.empty()) return std::string(name);
  return fmt::format("{}{}{}", request.output, request.output.ends_with('/') ? "" : "/", name);
}

GenerateInput input_of(const GenConfigRequest& request, const Contract& contract, Role role) {
  const Contract::Release& defaults = contract.release;
  const auto or_default = [](const std::string& text, std::string_view otherwise) {
    return text.empty() ? std::string(otherwise) : text;
  };
  GenerateInput input;
  input.role = role;
  input.cluster_name = request.cluster_name;
  input.endpoint = request.endpoint;
  input.kubernetes_version = or_default(request.kubernetes_version, defaults.kubernetes_version);
  input.dns_domain = request.dns_domain;
  input.install_disk = request.install_disk;
  const std::string image = request.install_image.value_or("");
  const bool image_left_out = request.install_image && contract.typed_documents;
  input.install_image = image_left_out ? image : or_default(image, defaults.installer_image);
  input.additional_sans = request.additional_sans;
  for (const auto& [registry, url] : request.registry_mirrors) {
    input.registry_mirrors[registry].push_back(url);
  }
  input.persist = request.persist;
  input.cluster_discovery = request.with_cluster_discovery;
  input.kubespan = request.with_kubespan;
  input.without_kubernetes = request.skip_k8s_etcd;
  return input;
}

OrEnd<pki::SecretsBundle> settle_secrets(const GenConfigRequest& request, const Contract& contract,
                                         Host& host) {
  if (request.with_secrets.empty()) {
    return fresh_secrets(contract.version, host);
  }
  return read_secrets_input(request.with_secrets, host);
}

/// The patches of both roles, in the order all, then role.
struct RolePatches {
  std::vector<Patch> all, control_plane, worker;

  std::vector<Patch> of(Role role) const {
    std::vector<Patch> patches = all;
    const std::vector<Patch>& own = role == Role::control_plane ? control_plane : worker;
    patches.insert(patches.end(), own.begin(), own.end());
    return patches;
  }
};

OrEnd<RolePatches> settle_patches(const GenConfigRequest& request, int minor, Host& host) {
  RolePatches patches;
  const auto read = [&](const std::vector<std::string>& given, const char* flag,
                        std::vector<Patch>& target) -> OrEnd<void> {
    auto loaded = read_patches(given, flag, minor, host.files);
    if (!loaded) return forward_error(loaded);
    target = *std::move(loaded);
    return {};
  };
  if (auto done = read(request.patches, "--config-patch", patches.all); !done) {
    return forward_error(done);
  }
  if (auto done = read(request.control_plane_patches, "--config-patch-control-plane",
                       patches.control_plane);
      !done) {
    return forward_error(done);
  }
  if (auto done = read(request.worker_patches, "--config-patch-worker", patches.worker); !done) {
    return forward_error(done);
  }
  return patches;
}

class Generation {
 public:
  Generation(const GenConfigRequest& request, const Contract& contract,
             const pki::SecretsBundle& secrets, const RolePatches& patches)
      : request_(request), contract_(contract), secrets_(secrets), patches_(patches) {}

  Result<SecretString> config(Role role) {
    auto documents = role_documents(contract_, input_of(request_, contract_, role), secrets_);
    if (!documents) return forward_error(documents);
    const std::vector<Patch> patches = patches_.of(role);
    if (!patches.empty()) {
      auto patched =
          apply_patches(std::move(*documents), "config", patches, patch_minor(contract_));
      if (!patched) return forward_error(patched);
      documents = std::move(patched->documents);
      take_findings(std::move(patched->findings));
    }
    const bool main_there = !documents->empty() && documents->front().find("kind") == nullptr;
    if ((request_.with_docs || request_.with_examples) && main_there) {
      add_documented_empties(contract_, role, documents->front());
    }
    SecretString text(yaml::emit_all(*documents));
    for (yaml::Node& root : *documents) yaml::wipe(root);
    return text;
  }

  std::vector<Finding> findings;

 private:
  /// A patch for all roles says the same of both.
  void take_findings(std::vector<Finding> found) {
    for (Finding& finding : as_warnings(std::move(found))) {
      const bool known = std::any_of(findings.begin(), findings.end(), [&](const Finding& other) {
        return other.id == finding.id && other.where == finding.where;
      });
      if (!known) findings.push_back(std::move(finding));
    }
  }

  const GenConfigRequest& request_;
  const Contract& contract_;
  const pki::SecretsBundle& secrets_;
  const RolePatches& patches_;
};

Result<SecretString> talosconfig(const GenConfigRequest& request, const pki::SecretsBundle& secrets,
                                 Host& host) {
  const auto made =
      pki::make_talosconfig(request.cluster_name, secrets.os, {}, {}, host.loop.clock().wall());
  if (!made) return forward_error(made);
  return pki::write_talosconfig(*made);
}

}  // namespace

Exit run(const GenConfigRequest& request, const CommonOptions& common, Host& host) {
  if (!request.from.empty()) return gen_config_from(request, common, host);
  const auto version = read_talos_version(request.talos_version, kUsualRelease.contract());
  if (!version) return finish_aside(version.error(), host.terminal);
  std::vector<Finding> early;
  const auto contract = settle_contract(*version, early);
  if (!contract) return finish_aside(contract.error(), host.terminal);
  if (request.skip_k8s_etcd && !contract->typed_documents) {
    return finish_aside(
        end_with(Exit::usage, "--skip-k8s-etcd needs a contract from v1.14 on").value(),
        host.terminal);
  }
  const auto patches = settle_patches(request, patch_minor(*contract), host);
  if (!patches) return finish_aside(patches.error(), host.terminal);
  const auto secrets = settle_secrets(request, *contract, host);
  if (!secrets) return finish_aside(secrets.error(), host.terminal);
  Generation generation(request, *contract, *secrets, *patches);
  generation.findings = std::move(early);
  std::vector<TextOutput> outputs;
  for (const auto& [output, name] : kOutputs) {
    if (!wants(request, output)) continue;
    auto text = output == GenOutput::controlplane ? generation.config(Role::control_plane)
                : output == GenOutput::worker     ? generation.config(Role::worker)
                                                  : talosconfig(request, *secrets, host);
    if (!text) return finish_aside(end_with(text.error()).value(), host.terminal);
    const std::string what(name.substr(0, name.find('.')));
    outputs.push_back({what, path_of(request, name), *std::move(text)});
  }
  return deliver(std::move(outputs), request.force, std::move(generation.findings), common, host);
}

}  // namespace ichor
