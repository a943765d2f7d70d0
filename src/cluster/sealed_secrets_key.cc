#include "cluster/sealed_secrets_key.h"

#include <fmt/format.h>

#include "phase/kubernetes/manifests.h"
#include "secrets/age_keys.h"
#include "secrets/base64.h"
#include "secrets/issue.h"
#include "secrets/sops.h"
#include "secrets/sops_file.h"
#include "yaml/emit.h"
#include "yaml/json_node.h"

namespace ichor {

namespace {

constexpr const char* kFile = "sealed-secrets.sops.yaml";
constexpr Duration kLifetime = std::chrono::hours(10 * 365 * 24);

Result<KubeObject> make_pair(const KubernetesPlan::SealedSecrets& plan, Host& host) {
  pki::LeafRequest request;
  request.common_name = "sealed-secret";
  request.organizations = {"sealed-secret"};
  request.not_before = host.loop.clock().wall();
  request.lifetime = kLifetime;
  const auto key = pki::PrivateKey::from_pem(host.keys.take_rsa_key());
  if (!key) return forward_error(key);
  const auto pair = pki::issue_self_signed(request, *key);
  if (!pair) return forward_error(pair);
  KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", "kubernetes.io/tls"}};
  secret["metadata"]["name"] = plan.name;
  secret["metadata"]["namespace"] = plan.name_space;
  secret["metadata"]["labels"]["sealedsecrets.bitnami.com/sealed-secrets-key"] = "active";
  secret["data"]["tls.crt"] = pki::base64(pair->certificate);
  secret["data"]["tls.key"] = pki::base64(pair->key.reveal());
  return secret;
}

Result<SecretString> seal(const KubeObject& secret, Host& host) {
  const AgeKeys keys = find_age_keys({}, host);
  sops::EncryptOptions options;
  for (const age::Identity& identity : keys.identities.own) {
    options.recipients.push_back(identity.recipient());
  }
  if (options.recipients.empty()) {
    return fail(Errc::invalid,
                "the sealed-secrets key pair is kept encrypted to your age keys, "
                "and there is none: " +
                    keys.text());
  }
  options.rules.encrypted_regex = "^(data|stringData)$";
  options.now = host.loop.clock().wall();
  const std::string text =
      yaml::emit(yaml::from_json(nlohmann::ordered_json::parse(secret.dump())));
  auto sealed = sops::encrypt(text, kFile, options);
  if (!sealed) return forward_error(sealed);
  return SecretString(*std::move(sealed));
}

}  // namespace

Result<void> add_sealed_secrets_key(const KubernetesPlan::SealedSecrets& plan, ClusterState& state,
                                    KubernetesMaterial& material, Host& host) {
  auto kept = state.load(kFile);
  if (!kept) return forward_error(kept);
  if (*kept) {
    const auto plain = open_if_sealed(**std::move(kept), kFile, host);
    if (!plain) return forward_error(plain);
    auto objects = objects_of(plain->reveal(), kFile);
    if (!objects) return forward_error(objects);
    for (KubeObject& object : *objects) material.sealed_keys.push_back(std::move(object));
    return {};
  }
  auto secret = make_pair(plan, host);
  if (!secret) return forward_error(secret);
  auto sealed = seal(*secret, host);
  if (!sealed) return forward_error(sealed);
  material.fresh_key = ref_of(*secret);
  material.fresh_key_file = kFile;
  material.fresh_key_sealed = *std::move(sealed);
  material.sealed_keys.push_back(*std::move(secret));
  return {};
}

}  // namespace ichor
