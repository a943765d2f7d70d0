#include "cluster/secrets_input.h"
#include "command/commands.h"
#include "machineconfig/contract.h"
#include "machineconfig/patch_input.h"
#include "machineconfig/secrets_from_config.h"
#include "model/talos_release.h"
#include "run/deliver.h"
#include "run/finish.h"
#include "secrets/sops_seal.h"

namespace ichor {

namespace {

OrEnd<pki::SecretsBundle> take_from_config(const std::string& path, Host& host) {
  const auto text = host.files.read_input(path);
  if (!text) return end_with(Exit::usage, text.error().message);
  auto bundle = secrets_from_config(*text, path);
  if (!bundle) return end_with(bundle.error());
  // What was taken must be whole: keys that belong to their certificates, tokens of the right form.
  auto proved = pki::read_secrets(pki::write_secrets(*bundle).reveal(), path);
  if (!proved) return end_with(proved.error());
  return *std::move(bundle);
}

}  // namespace

Exit run(const GenSecretsRequest& request, const CommonOptions& common, Host& host) {
  const auto version = read_talos_version(request.talos_version, kUsualRelease.contract());
  if (!version) return finish_aside(version.error(), host.terminal);
  std::vector<Finding> findings;
  const auto contract = settle_contract(*version, findings);
  if (!contract) return finish_aside(contract.error(), host.terminal);
  // Asked first, so that no key is generated that is not written.
  if (auto refused = refuse_present(request.output, request.force, host)) {
    return finish_aside(*std::move(refused), host.terminal);
  }
  OrEnd<pki::SecretsBundle> bundle =
      request.from_controlplane_config.empty()
          ? OrEnd<pki::SecretsBundle>(fresh_secrets(contract->version, host))
          : take_from_config(request.from_controlplane_config, host);
  if (!bundle) return finish_aside(std::move(bundle).error(), host.terminal);
  TextOutput output{"secrets", request.output, pki::write_secrets(*bundle)};
  if (has_sops_name(request.output)) {
    auto sealed = seal_for_name(request.output, output.content, host.loop.clock().wall(), host);
    if (!sealed) return finish_aside(end_with(sealed.error()).value(), host.terminal);
    output.content = *std::move(sealed);
    output.sealed = true;
  }
  std::vector<TextOutput> outputs;
  outputs.push_back(std::move(output));
  return deliver(std::move(outputs), request.force, std::move(findings), common, host);
}

}  // namespace ichor
