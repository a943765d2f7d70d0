#include "cluster/secrets_input.h"

#include <fmt/format.h>

#include "machineconfig/contract.h"
#include "profile/envsubst.h"
#include "secrets/sops_file.h"
#include "secrets/sops_seal.h"

namespace ichor {

OrEnd<pki::SecretsBundle> parse_secrets(const SecretString& plain, const std::string& file,
                                        Host& host) {
  SecretString text = plain;
  if (text.reveal().find("${") != std::string_view::npos) {
    auto substituted = substitute(text.reveal(), [&host](const std::string& name) {
      return host.environment.variable(name);
    });
    if (!substituted) {
      return end_with(Exit::findings, fmt::format("{}: {}", file, substituted.error()));
    }
    text = SecretString(*std::move(substituted));
  }
  auto bundle = pki::read_secrets(text.reveal(), file);
  if (!bundle) return end_with(bundle.error());
  return *std::move(bundle);
}

OrEnd<pki::SecretsBundle> read_secrets_input(const std::string& path, Host& host) {
  auto text = host.files.read_input(path);
  if (!text) return end_with(Exit::usage, text.error().message);
  auto plain = open_if_sealed(SecretString(*std::move(text)), path, host);
  if (!plain) return end_with(plain.error());
  return parse_secrets(*plain, path, host);
}

pki::SecretsBundle fresh_secrets(const TalosVersion& contract, Host& host) {
  pki::SecretsOptions options;
  options.contract = contract;
  const auto known = find_contract(contract);
  options.standard_cluster_id = known && known->standard_cluster_id;
  if (pki::service_account_kind(contract) == pki::KeyKind::rsa) {
    options.service_account_key = host.keys.take_rsa_key();
  }
  return pki::generate_secrets(host.loop.clock().wall(), options);
}

Result<SecretString> text_for_secrets_file(const std::string& path,
                                           const pki::SecretsBundle& bundle, Host& host) {
  SecretString plain = pki::write_secrets(bundle);
  if (has_sops_name(path)) return seal_for_name(path, plain, host.loop.clock().wall(), host);
  if (auto allowed = host.files.may_export(path); !allowed) return forward_error(allowed);
  return plain;
}

}  // namespace ichor
