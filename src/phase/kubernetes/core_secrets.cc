#include "phase/kubernetes/core_secrets.h"

#include <fmt/format.h>

#include "base/mutant.h"
#include "phase/kubernetes/ensure.h"
#include "phase/kubernetes/gates.h"
#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

/// Every key that an item makes.
std::vector<std::string> keys_of(const KubernetesPlan::SecretItem& item) {
  std::vector<std::string> keys;
  if (!item.age_key.empty()) keys.push_back(item.age_key);
  for (const auto& [key, file] : item.files) keys.push_back(key);
  for (const auto& [key, place] : item.onepassword) keys.push_back(key);
  return keys;
}

/// The command that makes a Secret by hand, with its values left open.
std::string by_hand(const KubernetesPlan::SecretItem& item) {
  std::string command =
      fmt::format("kubectl --namespace {} create secret generic {}", item.name_space, item.name);
  for (const std::string& key : keys_of(item)) {
    command += fmt::format(" --from-file={}=FILE", key);
  }
  return command;
}

/// Why a Secret is not as phase 0 makes it; empty if it is.
std::string trouble_with(const KubernetesPlan::SecretItem& item, const KubeObject& secret) {
  for (const std::string& key : keys_of(item)) {
    if (text_at(secret, {"data", key}).empty()) {
      return fmt::format("it has no value for {}", key);
    }
  }
  return {};
}

/// Keeps a key pair that was just made, unless the cluster has one that we do not know.
Task<bool> keep_fresh_key(Context context, PhaseRun& run) {
  const std::optional<KubeRef>& fresh = run.material.fresh_key;
  if (!fresh) co_return true;
  std::function<Task<CallResult<KubeObject>>()> ask = [&run, context, &fresh] {
    return run.world.kube.get(context, *fresh);
  };
  const auto there = co_await persist<KubeObject>(context, run, to_text(*fresh), ask);
  const bool missing = !there && there.error().code == Code::not_found;
  if (there) {
    run.stop({to_text(*fresh), "the cluster has a key pair that the state folder does not know",
              "go on with the state folder that made it, or take sealed_secrets out of the profile",
              "K5", true});
    co_return false;
  }
  if (!missing) {
    const KubeVerdict verdict = judge_kube(there.error());
    run.stop({to_text(*fresh), there.error().text, std::string(verdict.hint),
              std::string(verdict.fault), false},
             StepEnd::out_of_time);
    co_return false;
  }
  if (run.options.dry_run || mutant("key-not-kept")) co_return true;
  const auto kept =
      run.world.files.write(run.material.fresh_key_file, run.material.fresh_key_sealed);
  if (!kept) {
    run.stop({run.material.fresh_key_file, kept.error().message, "free the place", "L3", true});
  }
  co_return kept.has_value();
}

}  // namespace

Task<bool> find_bootstrap_secrets(Context context, PhaseRun& run) {
  if (run.options.dry_run) co_return true;
  bool all = true;
  for (const KubernetesPlan::SecretItem& item : run.material.plan.secrets) {
    const KubeRef ref{{"", "v1", "Secret"}, item.name_space, item.name};
    std::function<Task<CallResult<KubeObject>>()> ask = [&run, context, &ref] {
      return run.world.kube.get(context, ref);
    };
    const auto there = co_await persist<KubeObject>(context, run, to_text(ref), ask);
    const bool missing = !there && there.error().code == Code::not_found;
    if (!there && !missing) {
      const KubeVerdict verdict = judge_kube(there.error());
      run.stop({to_text(ref), there.error().text, std::string(verdict.hint),
                std::string(verdict.fault), false},
               StepEnd::out_of_time);
      co_return false;
    }
    const std::string trouble = missing ? "it is not in the cluster" : trouble_with(item, *there);
    if (trouble.empty()) continue;
    all = false;
    const char* who = item.onepassword.empty() ? "" : ", and what reads 1Password waits for it";
    run.stop({to_text(ref), trouble + who,
              fmt::format("run phase 0, which makes it: `ichor phase 0`; or by hand: `{}`",
                          by_hand(item)),
              "K4", true});
  }
  co_return all;
}

Task<bool> send_sealed_key(Context context, PhaseRun& run) {
  if (run.material.sealed_keys.empty()) co_return true;
  if (!run.options.dry_run && !mutant("key-before-nodes")) {
    std::vector<std::string> names;
    for (const NodePlan& node : run.profile.nodes) names.push_back(node.name.value());
    if (!co_await pass(context, run, nodes_gate(names, Duration::zero()))) co_return false;
  }
  if (!co_await keep_fresh_key(context, run)) co_return false;
  co_return co_await ensure(context, run, run.material.sealed_keys);
}

}  // namespace ichor
