#include "phase/kubernetes/secrets_phase.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/mutant.h"
#include "phase/kubernetes/ensure.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/onepassword.h"
#include "pki/base64.h"

namespace ichor {

namespace {

KubeObject secret_of(const KubernetesPlan::SecretItem& item,
                     const std::map<std::string, SecretString>& values) {
  KubeObject secret{{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", item.type}};
  secret["metadata"]["name"] = item.name;
  secret["metadata"]["namespace"] = item.name_space;
  for (const auto& [key, value] : values) secret["data"][key] = pki::base64(value.reveal());
  return secret;
}

/// The Secrets whose values are in 1Password; false if one of them cannot be had.
Task<bool> add_onepassword(Context context, PhaseRun& run, std::vector<KubeObject>& secrets) {
  bool all = true;
  for (const KubernetesPlan::SecretItem& item : run.material.plan.secrets) {
    if (item.onepassword.empty()) continue;
    const auto values =
        co_await read_onepassword(context, run.world, run.material, item.onepassword);
    if (values) {
      secrets.push_back(secret_of(item, *values));
      continue;
    }
    all = false;
    run.stop({fmt::format("Secret/{}/{}", item.name_space, item.name), values.error().message,
              "check token, vault, item and field in 1Password, and phases.secrets in the profile",
              "K4", true});
  }
  co_return all;
}

/// A namespace that is there and on its way out takes nothing in.
Gate active_gate(const std::vector<KubeObject>& namespaces) {
  Gate gate;
  gate.name = "namespaces";
  const KubeKind kind{"", "v1", "Namespace"};
  gate.watches.push_back({kind, {}, {}, {}});
  std::vector<std::string> names;
  for (const KubeObject& one : namespaces) names.push_back(name_in(one));
  gate.judge = [names](const GateView& view) {
    KubeObjects ours;
    for (const KubeObject& object : view.objects[0]) {
      if (std::find(names.begin(), names.end(), name_in(object)) != names.end()) {
        ours.push_back(object);
      }
    }
    return judge_all(ours, "K3");
  };
  return gate;
}

}  // namespace

Task<void> run_secrets(Context context, PhaseRun& run) {
  std::vector<KubeObject> secrets = run.material.secrets;
  if (!co_await add_onepassword(context, run, secrets)) co_return;
  const std::vector<KubeObject>& namespaces = run.material.namespaces;
  if (!co_await ensure(context, run, namespaces)) co_return;
  if (!run.options.dry_run && !namespaces.empty()) {
    if (!co_await pass(context, run, active_gate(namespaces))) co_return;
  }
  if (mutant("secrets-left-out")) co_return;
  co_await ensure(context, run, secrets);
}

}  // namespace ichor
